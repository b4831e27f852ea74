"""The members of a workspace: which folders of a project are packages of their own.

One module a family of tools. Each reads what its tool reads to list the members; nothing is run, no link is
followed, no path leaves the project. Folders that hold a repository of their own are projects, not members.
"""
