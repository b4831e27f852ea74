"""The server for assistants: the memory as tools of the Model Context Protocol, over standard streams.

``protocol`` is the only module that knows the official package (extra ``zecher[mcp]``). All others are
plain: ``tools`` is the table of tools, ``schemas`` says what fits, ``scope`` which projects may be meant,
``reading`` and ``writing`` do the work with the functions of the commands, ``refusal`` says why something was
not done.
"""

from __future__ import annotations
