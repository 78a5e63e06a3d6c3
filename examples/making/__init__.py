"""The modules of `make_examples.py`: photographs, fonts, and one module for each document."""
