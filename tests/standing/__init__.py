"""Services that stand alone: on a data directory, and on many machines."""
