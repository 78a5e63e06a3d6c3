"""The parts `make_examples.py` is made of: photographs, fonts, and one module for each document."""
