"""One run of ``zecher explain``."""

from __future__ import annotations

import os
from collections.abc import Mapping

from brain.portfolio import read_portfolio
from jobs.cli.command import Invocation
from jobs.codes import Code, read_codes
from jobs.errors import DONE, FAILED, UsageError, nearest
from jobs.settings import RootGroup, ScanSettings, output_settings, scan_settings
from reports.document import Document, envelope, located, project_document, to_json
from reports.view import branch_words, safe_display
from scanner.project import Root
from scanner.value import replace


def run_explain(invocation: Invocation) -> int:
    """The exit code of ``zecher explain``."""
    subjects = invocation.typed.texts("subject")
    if len(subjects) != 1:
        raise UsageError(
            "explain-what",
            f"{len(subjects)} things to explain",
            "zecher explain takes one folder or one code",
            "Name one, for example: zecher explain root-missing",
        )
    subject = subjects[0]
    as_json = output_settings(invocation.typed, invocation.surroundings).format == "json"
    codes = read_codes()
    if _is_path(subject, codes):
        return _explain_path(invocation, subject, as_json=as_json)
    # The contract of the harness writes its codes in capitals.
    known = codes.get(subject) or codes.get(subject.lower())
    if known is None:
        neighbour = nearest(subject.lower(), list(codes))
        raise UsageError(
            "unknown-code",
            f"nothing is known about {subject!r}",
            "it is neither a code nor something in this folder",
            f"Did you mean {neighbour}?"
            if neighbour
            else "Give a path with a / in it, or a code from a message.",
        )
    _explain_code(invocation, known, as_json=as_json)
    return DONE


def _is_path(subject: str, codes: Mapping[str, Code]) -> bool:
    if os.sep in subject or subject in (".", "..", "~"):
        return True
    return subject not in codes and os.path.lexists(subject)


def _explain_code(invocation: Invocation, code: Code, *, as_json: bool) -> None:
    if as_json:
        data: Document = {
            "code": code.code,
            "kind": code.kind,
            "means": code.means,
            "why": code.why,
            "fix": code.fix,
            **({"silence": code.silence} if code.silence else {}),
        }
        document = envelope("explain", invocation.surroundings.now, data, (), ok=True)
        invocation.streams.result(to_json(document))
        return
    lines = (
        f"{code.code} ({code.kind})",
        f"  means: {code.means}",
        f"  why:   {code.why}",
        f"  fix:   {code.fix}",
        *((f"  silence: {code.silence}",) if code.silence else ()),
    )
    invocation.streams.result("".join(f"{line}\n" for line in lines))


def _explain_path(invocation: Invocation, subject: str, *, as_json: bool) -> int:
    from jobs.portfolio import explain_path, identifiers  # noqa: PLC0415 - start-up: a code needs no scanner

    path = invocation.surroundings.absolute(subject)
    settings = _around(scan_settings(invocation.typed, invocation.surroundings), path, invocation)
    told = explain_path(settings, path)
    code = FAILED if told.verdict == "missing" else DONE
    if as_json:
        found = () if told.project is None else (told.project,)
        names = identifiers(found, {card.path: card for card in read_portfolio(settings.brain).cards})
        data: Document = {
            **located(told.path),
            "verdict": told.verdict,
            "code": told.code,
            "lines": [branch_words(line) for line in told.lines],
            "project": None
            if told.project is None
            else project_document(told.project, names[told.project.path]),
        }
        document = envelope("explain", settings.now, data, (), ok=code == DONE)
        invocation.streams.result(to_json(document))
        return code
    lines = (
        f"{told.path}: {told.verdict} [{told.code}]" if told.code else f"{told.path}: {told.verdict}",
        *told.lines,
    )
    text = "\n  ".join(safe_display(branch_words(line)) for line in lines)
    invocation.streams.result(text + "\n")
    return code


def _around(settings: ScanSettings, path: str, invocation: Invocation) -> ScanSettings:
    """With no root named anywhere, search from this folder if ``path`` lies in it, else from its parent."""
    here = invocation.surroundings.cwd
    default = settings.roots == (Root(here, settings.groups[0].roots[0].depth),)
    if not default or path == here or path.startswith(here.rstrip(os.sep) + os.sep):
        return settings
    group = settings.groups[0]
    root = Root(os.path.dirname(path), group.roots[0].depth)
    return replace(settings, groups=(RootGroup((root,), group.nested, group.exclude),))
