"""Rules about needed libraries."""
