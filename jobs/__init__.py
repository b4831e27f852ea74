"""What can be run: configuration, the jobs themselves, and the command line."""
