"""``python -m jobs.cli`` is ``zecher``."""

from __future__ import annotations

import sys

from jobs.cli import main

sys.exit(main())
