"""How the dynamic loaders search and match: one file per loader, pure functions, each branch citing its source."""
