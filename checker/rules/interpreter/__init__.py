"""Rules about the interpreter that loads the files."""
