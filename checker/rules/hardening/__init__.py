"""Rules about what makes a process easier to attack."""
