"""What people and assistants ask to be kept: a Markdown file a category, a block an observation.

The form is Notarium's, so that its vaults are read and extended as they are; what ours adds to a block, its
day and a short name, stands in a comment behind it.
"""
