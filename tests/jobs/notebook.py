"""The notes that the black box tests ask: two projects, German, English, French, a few days and forms."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.jobs.program import Program
from tests.support import write

DECISIONS = """# Decisions

### Löschfristen nach DSGVO
Kundendaten werden nach 24 Monaten automatisch gelöscht.

### Straßennamen normalisieren
Wir vergleichen jeden Straßennamen ohne Groß- und Kleinschreibung.

### Produktbilder
Produktbilder werden beim Hochladen in WebP umgewandelt.

### Gehirn-Index als JSON
Der Gehirn-Index liegt als eine JSON-Datei vor.

### Use getUserOrders everywhere
Replace raw SQL by getUserOrders in the order service.

### Token service
The login token lives in src/auth/token_service.go and expires after 15 minutes.

### Schlüsselbund-Zugriff
On macOS the CI asks for Schlüsselbund-Zugriff.
"""

LESSONS = """# Lessons

### Nachtlauf fiel aus
Der Nachtlauf fiel aus, weil die Festplatte voll war.

### ERR_TENANT_MISMATCH
ERR_TENANT_MISMATCH means that the tenant header is absent.

### classifyByAge is slow
classifyByAge reads every file; cache the dates.

### Postgres pool
The error "too many connections" came from a pool of 200.

### Workers
Too few workers had many open connections, and too many idle ones.

### LIKE query
Search with LIKE '%q%' made the table scan slow.

### C++ build
The C++ extension needs a newer compiler.

### C library
The C library needs no compiler flags.

### Carte de fidélité
La carte de fidélité expire après deux ans.

### Jetons CSRF
Les jetons CSRF ont expiré pendant la nuit.

### Sternebewertung 💥
🚴 Bewertungen der Fahrradkurse explodieren 💥 am Montag.

### Newsletter
The newsletter sign-up form needs double opt-in.

### 検索
全文検索エンジンは日本語の単語を見つける。

### Zwilling
Dieser Zwillingsabschnitt steht in zwei Ordnern.
"""

SHOP = {
    "pyproject.toml": '[project]\nname = "shop"\n',
    ".agents/memory/context.md": "# Context\n\nShop: Online-Laden in Python, deployed on Hetzner.\n",
    ".agents/memory/decisions.md": DECISIONS,
    ".agents/memory/lessons.md": LESSONS,
    ".bmad/memory/lessons.md": (
        "# Lessons\n\n### Zwilling\nDieser Zwillingsabschnitt steht in zwei Ordnern.\n"
    ),
    ".agents/memory/sessions/2026-11-20-handover.md": (
        "# Handover\n\n## Next steps\nDie Rechnungsvorlage muss noch übersetzt werden.\n"
    ),
    "DECISIONS.md": (
        "# Decisions\n\n## 2026-03-01 Zahlungsanbieter gewechselt\n\n"
        "Wir nutzen Mollie statt Stripe wegen der Gebühren.\n"
    ),
    "PROGRESS.md": "# Progress\n\n## Done\n- Warenkorb mit Gutscheinen fertig\n",
    "MEMORY.md": "# Memory\n\n- Deploy window is Tuesday morning.\n",
    "docs/adr/0001-use-postgres.md": (
        "# 1. Use PostgreSQL\n\n## Status\nAccepted\n\n## Decision\nWe store orders in PostgreSQL.\n"
    ),
}

BLOG = {
    "package.json": '{"name": "blog"}\n',
    ".agents/memory/decisions.md": (
        "# Decisions\n\n### Login by magic link\nThe login of the blog uses a magic link.\n"
    ),
}


def notebook(home: Path, root: Path, *, indexed: bool = False) -> Program:
    """The program, standing in the project shop; with ``indexed`` the brain knows both projects."""
    for name, files in (("shop", SHOP), ("blog", BLOG)):
        for relative, text in files.items():
            write(root / "dev" / name / relative, text, days=3)
    settings = write(home / ".config/zecher/config.toml", f'[scan]\nroots = ["{root / "dev"}"]\n')
    settings.parent.chmod(0o700)
    settings.chmod(0o600)
    program = Program(home, root / "dev/shop", {"TZ": "UTC"})
    if indexed:
        done = program("scan", "--yes")
        assert done.code == 0, done.err
    return program


def index_of(program: Program) -> Path:
    return program.home / ".cache/zecher/search.sqlite"


def results(program: Program, query: str, *options: str) -> list[dict[str, Any]]:
    """What a search finds, the best first."""
    done = program("memory", "search", "--json", *options, "--", query)
    assert done.code == 0, done.out
    found = done.data["results"]
    assert isinstance(found, list)
    return found


def headings(program: Program, query: str, *options: str) -> list[str]:
    """The last heading of each result, the best first."""
    return [str(result["heading"]).rsplit(" > ", 1)[-1] for result in results(program, query, *options)]


def notes(program: Program, **texts: str) -> None:
    """Notes of the project shop, each a category of its own."""
    for name, text in texts.items():
        write(program.cwd / f".agents/memory/notes/{name}.md", text)
