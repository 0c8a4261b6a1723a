"""Rules about DT_RPATH and DT_RUNPATH."""
