"""What the actions of ``mem`` print for people, in the published words of BMAD+.

Every text is foreign (an agent wrote it) and passes through ``safe_display``. Numbers have the published
digits, rounded as JavaScript does: one hit among 256 words is 0.063, not 0.062. Takes the values as ``brain``
returns them and gives text with a final newline.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from brain.files.javascript_json import to_fixed
from brain.wording import plural
from reports.view import safe_display

TYPE_CHECKING = False
if TYPE_CHECKING:
    from brain.ledgers.promotions import Reinforced
    from brain.recall.recall import Hit, Recalled

_WIDTH = 120

Document = dict[str, object]


def cut(text: str) -> str:
    """``text`` on one line, at most 120 characters, the last of them an ellipsis where it was longer."""
    line = " ".join(text.split())
    return line if len(line) <= _WIDTH else line[: _WIDTH - 1] + "…"


def write_text(event: Mapping[str, object]) -> str:
    """What was appended to the journal: identifier, time, who and with what."""
    told = " ".join(f"{key}={_or_dash(event.get(key))}" for key in ("agent", "cli", "model", "outcome"))
    lines = [f"mem write: event {event['id']} appended ({event['ts']})", f"  {told}"]
    if event.get("task"):
        lines.append(f"  task: {cut(str(event['task']))}")
    return _lines(lines)


def recall_text(recalled: Recalled, *, explain: bool) -> str:
    """The hits in their order; with ``explain`` how each score came about, and where the text stands."""
    where = f'for "{recalled.query}" (scope: {recalled.scope})'
    if not recalled.hits:
        return _lines([f"mem recall: no matches {where}"])
    lines = [f"mem recall: {len(recalled.hits)} match(es) {where}"]
    for place, hit in enumerate(recalled.hits, start=1):
        lines.append(f"  {place}. [{to_fixed(hit.score, 3)}] {_named(hit)}")
        lines.append(f"     {cut(hit.text)}")
        if explain:
            lines.append(f"     {explained(hit)}")
    return _lines(lines)


def recall_document(recalled: Recalled, *, explain: bool, with_projects: bool) -> Document:
    """A recall as JSON; ``with_projects`` adds, last, whose each hit is and what was skipped."""
    document: Document = {
        "query": recalled.query,
        "scope": recalled.scope,
        "ranking": recalled.ranking,
        "count": len(recalled.hits),
        "results": [hit_document(hit, explain=explain, with_project=with_projects) for hit in recalled.hits],
    }
    if with_projects:
        document["skipped"] = [
            {"name": one.name, "path": one.path, "why": one.why} for one in recalled.skipped
        ]
    return document


def hit_document(hit: Hit, *, explain: bool = False, with_project: bool = False) -> Document:
    """A hit as JSON in BMAD+'s order of keys; what is ours (``project``, ``explain``) comes after it."""
    document: Document = {"score": hit.score, "kind": hit.kind, "source": hit.source}
    if hit.kind == "note":
        document["sourceFile"] = hit.source_file
    document |= {"ref": hit.ref, "text": hit.text}
    if hit.event is not None:
        document["event"] = hit.event
    if hit.lexical_score is not None:
        document["lexicalScore"] = hit.lexical_score
    if hit.evidence is not None:
        document["evidence"] = hit.evidence
    if with_project:
        document["project"] = hit.project
    if explain and hit.fused is not None:
        document["explain"] = {**hit.fused, "file": hit.source_file, "line": hit.line}
    elif explain:
        document["explain"] = {
            "hits": hit.hits,
            "matched": hit.matched,
            "queryTokens": hit.query_tokens,
            "coverage": hit.matched / hit.query_tokens,
            "length": hit.length,
            "decay": hit.decay,
            "evidenceFactor": hit.evidence_factor,
            "file": hit.source_file,
            "line": hit.line,
        }
    return document


def explained(hit: Hit) -> str:
    """The formula of the score with this hit's figures, and the file and line that it stands on.

    The search index has no formula of a line: the words that it found, and why, stand in its place.
    """
    if hit.fused is not None:
        return f"{_fused(hit.fused)}; {hit.source_file}:{hit.line}"
    factors = [
        f"hits {to_fixed(hit.hits, 3)}",
        f"coverage {hit.matched}/{hit.query_tokens}",
        f"length 1/sqrt({hit.length})",
    ]
    if hit.kind == "event":
        factors.append(f"decay {to_fixed(hit.decay, 3)}")
    if hit.evidence_factor != 1.0:
        factors.append(f"evidence {to_fixed(hit.evidence_factor, 3)}")
    return f"{' x '.join(factors)}; {hit.source_file}:{hit.line}"


def _fused(found: Mapping[str, object]) -> str:
    matched = found["matched"]
    words = [
        f"{one['word']}={one['term']} ({one['why']})"
        for one in (matched if isinstance(matched, list) else ())
    ]
    share = f"coverage {to_fixed(float(str(found['coverage'])), 3)}, {found['confidence']} confidence"
    return safe_display(f"{share}: {', '.join(words) or 'near in meaning'}")


def _named(hit: Hit) -> str:
    name = f"event {hit.source}#{hit.ref}" if hit.kind == "event" else f"note {hit.source} § {hit.ref}"
    if hit.project is not None:
        name += f" (project: {hit.project})"
    if hit.evidence is not None:
        name += f" (evidence: {hit.evidence['status']})"
    return name


def reinforce_text(done: Reinforced, signals_json: str) -> str:
    """Reward, the move of the score, and whether a promotion was proposed.

    ``signals_json`` are the signals as compact JSON.
    """
    new, before = done.next, (done.previous or {}).get("elo")
    start = before if isinstance(before, int | float) else 1200.0
    state = f"(alpha={_fixed(new, 'alpha', 2)}, beta={_fixed(new, 'beta', 2)}, updates={new['updates']})"
    lines = [
        f'mem reinforce: pattern "{done.pattern_id}" reward {to_fixed(done.reward, 3)} (from {signals_json})',
        f"  elo {to_fixed(start, 1)} -> {_fixed(new, 'elo', 1)} mean {_fixed(new, 'mean', 3)} {state}",
    ]
    if done.promotion is None:
        lines.append("  promotion: none proposed (needs mean >= 0.7 and >= 3 updates)")
    else:
        lines.append(
            f"  promotion: {done.promotion['id']} PROPOSED (candidate -> validated), awaits approval"
        )
    return _lines(lines)


def reinforce_document(done: Reinforced) -> Document:
    """A reinforcement as JSON, with what it does not claim."""
    return {
        "patternId": done.pattern_id,
        "reward": done.reward,
        "previous": done.previous,
        "next": done.next,
        "promotion": done.promotion,
        "evidenceStatus": "self-reported",
        "rankingEligible": False,
    }


def observe_text(receipt: Mapping[str, object]) -> str:
    """That the receipt was stored, and what it does not claim."""
    return _lines([f"mem observe: {receipt['id']} recorded; lesson causality remains unmeasured."])


def outcomes_text(results: Sequence[Mapping[str, object]]) -> str:
    """Each receipt with its state."""
    if not results:
        return _lines(["mem outcomes: no observations."])
    return _lines([f"{one['id']}: {one.get('reason') or 'accepted-current'}" for one in results])


def left_out(recalled: Recalled) -> list[str]:
    """What a recall could not search, a line each: damaged lines of a journal, whole projects."""
    lines: dict[str, int] = {}
    for file, _ in recalled.damaged:
        lines[file] = lines.get(file, 0) + 1
    told = [f"{plural(count, 'damaged line')} skipped in {file}" for file, count in lines.items()]
    return told + [f"skipped {one.name} ({one.path}): {one.why}" for one in recalled.skipped]


def _fixed(record: Mapping[str, object], name: str, digits: int) -> str:
    value = record[name]
    return to_fixed(value, digits) if isinstance(value, int | float) else "-"


def _or_dash(value: object) -> str:
    return str(value) if value else "-"


def _lines(lines: Sequence[str]) -> str:
    return "".join(f"{safe_display(line)}\n" for line in lines)
