"""The values that pass between the stages: frozen dataclasses and enums, standard library only, no input or output."""
