"""What can be run: configuration, the jobs themselves, and the command line."""

__version__ = "0.1.0"
