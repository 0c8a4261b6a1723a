"""Rules about symbols and their versions."""
