"""The index of a work tree: which files are tracked, and what each looked like when it was last compared.

Format: gitformat-index(5), versions 2 to 4, SHA-1 and SHA-256, with a split base (``link``) and sparse
folders (``sdir``); the checksum is not verified. Whatever the bytes hold, the answer is an index or a
problem.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Callable, Collection, Iterable
from itertools import accumulate, repeat

from scanner.git.repository import Repository
from scanner.project import Problem
from scanner.reading import UnreadableError, open_regular

TYPE_CHECKING = False
if TYPE_CHECKING:
    from scanner.git.entry import Entry

INDEX_CAP = 256 * 1024 * 1024
ENTRIES_CAP = 2_000_000
NAMES_CAP = 128 * 1024 * 1024
PATH_CAP = 4_096
"""What compressed paths may unfold to, in bytes: all together, and each (no system opens a longer one)."""

_SLASH = 0x2F

# The date, seconds and nanoseconds in one number, and the size of an entry.
_DATE_AND_SIZE = struct.Struct(">8xQ20xI")


Record = tuple[int, int, int, int, int, int, int, int]
"""An entry as numbers: change time and date (seconds, nanoseconds each), inode, mode, size, flags."""


class DamagedError(ValueError):
    """Bytes that are no index; the text says what was found."""


class Index:
    """A parsed index.

    ``names`` holds one path for each entry in the order of the file, without sparse folders; ``folders`` the
    folders that directly hold them (the root is empty). None leads out of the work tree.
    ``changed_ns`` is the date of the index file. ``root_tree`` is the object name of the tree that the whole
    index was last written as, empty once a path changed after that, ``None`` where no trees are recorded.
    ``sparse_folders`` gives the object names of the trees that stand for whole folders, by path with a slash.
    """

    __slots__ = (
        "_hash_size",
        "_heads",
        "_tree_records",
        "changed_ns",
        "folders",
        "names",
        "root_tree",
        "sparse_folders",
    )

    def __init__(
        self,
        changed_ns: int,
        names: list[bytes],
        heads: list[bytes] | _Heads,
        tree_records: bytes,
        hash_size: int,
        *,
        sparse_folders: dict[bytes, str] | None = None,
    ) -> None:
        self.changed_ns = changed_ns
        self.names = names
        self.folders = _folders(names)
        self.root_tree = _root_tree(tree_records, hash_size)
        self.sparse_folders = sparse_folders or {}
        self._tree_records = tree_records
        self._heads = heads
        self._hash_size = hash_size

    def tracked_paths(self) -> list[str]:
        """Every tracked path once, relative to the work tree, as text."""
        # All in one: decoding one by one takes four times as long.
        joined = b"\0".join(dict.fromkeys(self.names))
        return os.fsdecode(joined).split("\0") if joined else []

    def all_folders(self) -> set[bytes]:
        """All folders on the way to a tracked path, without the root."""
        found: set[bytes] = set()
        for folder in self.folders:
            while folder and folder not in found:
                found.add(folder)
                folder = folder.rpartition(b"/")[0]  # noqa: PLW2901 - climbing up
        return found

    def tracks_below(self, folder: str) -> bool:
        """Whether a tracked path lies below ``folder``, which is relative to the work tree."""
        start = os.fsencode(folder) + b"/"
        return any(name.startswith(start) for name in self.names)

    def oids_of(self, position: int) -> frozenset[str]:
        """The object names of a path at all its stages; one, unless it is in conflict."""
        name = self.names[position]
        same = [at for at in range(max(0, position - 2), position + 3) if self.names[at : at + 1] == [name]]
        return frozenset(self.entry(at).oid for at in same)

    def looks_unchanged(self, position: int, status: os.stat_result) -> bool:
        """Whether a file has the date and size that the entry records, and the record can be trusted.

        It cannot where the file changed at the very moment when the index was written, or later.
        """
        changed_ns = status.st_mtime_ns
        seconds, rest = divmod(changed_ns, 1_000_000_000)
        date, size = _DATE_AND_SIZE.unpack_from(self._heads[position])
        if size != status.st_size & 0xFFFFFFFF or seconds & 0xFFFFFFFF != date >> 32:
            return False
        if date & 0xFFFFFFFF == rest:
            return changed_ns < self.changed_ns
        # Some writers keep no part below a second: then the whole second is in doubt.
        return date & 0xFFFFFFFF == 0 and seconds < self.changed_ns // 1_000_000_000

    def records(self) -> Iterable[Record]:
        """What the entries record, one for each of ``names``, without taking each apart."""
        layout = struct.Struct(f">IIII4xII8xI{self._hash_size}xH")
        heads = self._heads
        if isinstance(heads, _Heads):
            return heads.unpacked(layout)
        return map(layout.unpack_from, heads)

    def unfolded(self, files: dict[bytes, tuple[int, str]], folders: Collection[bytes]) -> Index:
        """This index with ``files`` (mode and object name by path) in the place of sparse ``folders``.

        As git has it when it unfolds them: none of these files is wanted in the work tree.
        """
        from scanner.git.entry import make_head  # noqa: PLC0415 - start-up, few repositories need it

        pairs = [(name, self._heads[position]) for position, name in enumerate(self.names)]
        pairs += [(name, make_head(mode, oid)) for name, (mode, oid) in files.items()]
        pairs.sort(key=lambda pair: pair[0])
        names, heads = [name for name, _ in pairs], [head for _, head in pairs]
        kept = {name: oid for name, oid in self.sparse_folders.items() if name not in folders}
        return Index(self.changed_ns, names, heads, self._tree_records, self._hash_size, sparse_folders=kept)

    def written_trees(self) -> dict[bytes, str]:
        """The trees that folders were last written as and still are, by path with a slash (empty: the root).

        Format: "Cache tree" of gitformat-index(5). What does not follow it is left out.
        """
        return _written_trees(self._tree_records, self._hash_size)

    def raw_oid(self, position: int) -> bytes:
        """The object name of ``names[position]`` as bytes."""
        return self._heads[position][40 : 40 + self._hash_size]

    def entry(self, position: int) -> Entry:
        """The entry of ``names[position]``."""
        from scanner.git.entry import read_entry  # noqa: PLC0415 - start-up: 0.5 ms, where something is newer

        return read_entry(self.names[position], self._heads[position], self._hash_size)


class _Heads:
    """The fixed parts of the entries, cut from the file only where one is asked for."""

    __slots__ = ("_data", "_hash_size", "_names", "_offsets")

    def __init__(self, data: bytes, names: list[bytes], offsets: list[int] | None, hash_size: int) -> None:
        """Without ``offsets`` they follow from the lengths of ``names``, as in version 2."""
        self._data = data
        self._names = names
        self._offsets = offsets
        self._hash_size = hash_size

    def __getitem__(self, position: int) -> bytes:
        at = self._places()[position]
        return self._data[at : at + self._hash_size + 44]

    def unpacked(self, layout: struct.Struct) -> Iterable[Record]:
        """Each entry's fixed part as ``layout`` takes it apart."""
        # ``_places`` holds the end of the last entry, too, where it was counted from the names.
        return map(layout.unpack_from, repeat(self._data), self._places()[: len(self._names)])

    def _places(self) -> list[int]:
        if self._offsets is None:
            lengths = (len(name) + self._hash_size + 50 & -8 for name in self._names)
            self._offsets = list(accumulate(lengths, initial=12))
        return self._offsets


def load_index(repository: Repository) -> tuple[Index | None, tuple[Problem, ...]]:
    """The index of a work tree (``None`` where there is none to read), and why it could not be read."""
    path = repository.git_dir + "/index"
    hash_size = 32 if repository.object_format == "sha256" else 20
    try:
        data, changed_ns = _read(path)
        base = _base_reader(repository)
        return parse_index(data, changed_ns, hash_size, base), ()
    except FileNotFoundError:
        return None, ()
    except UnreadableError as error:
        return None, (Problem("git-index-unreadable", "warning", error.path, error.message),)
    except (DamagedError, struct.error, IndexError, ValueError) as error:
        # What Python says of bytes that it cannot unpack tells nobody anything.
        what = (
            str(error) if isinstance(error, DamagedError) else "an entry is cut off, or not as git writes it"
        )
        return None, (Problem("git-index-damaged", "warning", path, f"not a readable index: {what}"),)


class LastIndex:
    """Remembers the index that was read last: whoever asks about one repository asks more than once."""

    __slots__ = ("_found", "_repository")

    def __init__(self) -> None:
        self._repository: Repository | None = None
        self._found: tuple[Index | None, tuple[Problem, ...]] = (None, ())

    def load(self, repository: Repository) -> tuple[Index | None, tuple[Problem, ...]]:
        """The same as ``load_index``."""
        if repository is not self._repository:
            self._found = load_index(repository)
            self._repository = repository
        return self._found


def _read(path: str) -> tuple[bytes, int]:
    descriptor, size = open_regular(path)
    try:
        if size > INDEX_CAP:
            raise UnreadableError("too-large", path, f"{size} bytes, more than the cap of {INDEX_CAP}")
        data = os.read(descriptor, size)
        while len(data) < size and (more := os.read(descriptor, size - len(data))):
            data += more
        return data, os.fstat(descriptor).st_mtime_ns
    except OSError as error:
        raise UnreadableError("io", path, error.strerror or str(error)) from None
    finally:
        os.close(descriptor)


def _base_reader(repository: Repository) -> Callable[[str], bytes]:
    def read(oid: str) -> bytes:
        for folder in (repository.git_dir, repository.common_dir):
            try:
                return _read(f"{folder}/sharedindex.{oid}")[0]
            except FileNotFoundError:
                continue
        raise DamagedError("the shared part of a split index is missing")

    return read


def parse_index(data: bytes, changed_ns: int, hash_size: int, read_base: Callable[[str], bytes]) -> Index:
    """The index in ``data``; ``read_base`` gives the bytes of the shared part of a split index by its name.

    Raises ``DamagedError``, ``struct.error``, ``IndexError`` or ``ValueError`` for anything else.
    """
    names, offsets, end = _entries(data, hash_size)
    heads: list[bytes] | _Heads = _Heads(data, names, offsets, hash_size)
    extensions = _extensions(data, end, hash_size)
    if b"link" in extensions:
        names, heads = _joined(names, heads, extensions[b"link"], hash_size, read_base)
    sparse_folders: dict[bytes, str] = {}
    if b"sdir" in extensions:
        sparse_folders = {
            name: heads[position][40 : 40 + hash_size].hex()
            for position, name in enumerate(names)
            if name.endswith(b"/")
        }
        kept = [position for position, name in enumerate(names) if not name.endswith(b"/")]
        heads = [heads[position] for position in kept]
        names = [names[position] for position in kept]
    return Index(
        changed_ns, names, heads, extensions.get(b"TREE", b""), hash_size, sparse_folders=sparse_folders
    )


def _entries(data: bytes, hash_size: int) -> tuple[list[bytes], list[int] | None, int]:
    """The paths, the offset of each entry where it does not follow from them, and that after the last one."""
    signature, version, count = struct.unpack_from(">4sII", data)
    if signature != b"DIRC" or version not in (2, 3, 4):
        raise DamagedError("no index of version 2, 3 or 4")
    if count > ENTRIES_CAP:
        raise DamagedError(f"{count} entries, more than the cap of {ENTRIES_CAP}")
    if count * (hash_size + 43) > len(data):
        raise DamagedError("the file is cut off")
    if version == 4:
        return _compressed_entries(data, count, hash_size + 42)
    if version == 3:
        return _extended_entries(data, count, hash_size + 42)
    return _plain_entries(data, count, hash_size + 42)


def _plain_entries(data: bytes, count: int, fixed: int) -> tuple[list[bytes], None, int]:
    """Version 2. An entry is filled up with one to eight NUL, to a multiple of eight bytes."""
    names: list[bytes] = []
    find, add = data.index, names.append
    start = 12 + fixed
    for _ in range(count):
        end = find(b"\0", start)
        add(data[start:end])
        # The next entry starts at the first place four bytes after a multiple of eight, like the first.
        start = (end + 4 & -8) + 4 + fixed
    return names, None, start - fixed


def _extended_entries(data: bytes, count: int, fixed: int) -> tuple[list[bytes], list[int], int]:
    names: list[bytes] = []
    offsets: list[int] = []
    at = 12
    for _ in range(count):
        start = at + fixed + (2 if data[at + fixed - 2] & 0x40 else 0)
        end = data.index(b"\0", start)
        offsets.append(at)
        names.append(data[start:end])
        at += (end - at + 8) & -8
    return names, offsets, at


def _compressed_entries(data: bytes, count: int, fixed: int) -> tuple[list[bytes], list[int], int]:
    """Version 4: each path is told by how many bytes of the last one fall off, and what follows."""
    names: list[bytes] = []
    offsets: list[int] = []
    at = 12
    name = b""
    total = 0
    for _ in range(count):
        offsets.append(at)
        at += fixed + (2 if data[at + fixed - 2] & 0x40 else 0)
        byte = data[at]
        dropped = byte & 0x7F
        while byte & 0x80:
            at += 1
            byte = data[at]
            dropped = (dropped + 1) << 7 | byte & 0x7F
        end = data.index(b"\0", at + 1)
        if dropped > len(name):
            raise DamagedError("a compressed path is shorter than nothing")
        name = name[: len(name) - dropped] + data[at + 1 : end]
        total += len(name)
        if total > NAMES_CAP or len(name) > PATH_CAP:
            raise DamagedError("the paths unfold to more than the cap")
        names.append(name)
        at = end + 1
    return names, offsets, at


def _extensions(data: bytes, at: int, hash_size: int) -> dict[bytes, bytes]:
    found: dict[bytes, bytes] = {}
    end = len(data) - hash_size
    if at > end:
        raise DamagedError("the file is cut off")
    while at < end:
        signature, size = struct.unpack_from(">4sI", data, at)
        at += 8
        if size > end - at:
            raise DamagedError("an extension is cut off")
        if not signature[:1].isupper() and signature not in (b"link", b"sdir"):
            raise DamagedError("it needs an extension that is not known here")
        if signature in (b"link", b"sdir", b"TREE"):
            found[signature] = data[at : at + size]
        at += size
    return found


def _root_tree(extension: bytes, hash_size: int) -> str | None:
    """The first record: an empty path, the number of its entries (-1: changed since), and the object name."""
    end = extension.find(b"\n", 0, 32)
    if end < 0 or not extension.startswith(b"\0"):
        return None
    return "" if extension[1:2] == b"-" else extension[end + 1 : end + 1 + hash_size].hex()


def _written_trees(extension: bytes, hash_size: int) -> dict[bytes, str]:
    """Each record: a name, NUL, the number of its entries, a blank, that of its subfolders, a line end, and
    the object name, which is missing where the first number is negative."""
    found: dict[bytes, str] = {}
    waiting: list[tuple[bytes, int]] = [(b"", 1)]
    at = 0
    try:
        while waiting:
            above, left = waiting.pop()
            if left > 1:
                waiting.append((above, left - 1))
            end = extension.index(b"\0", at)
            folder = above + extension[at:end] + b"/" if end > at else above
            at = extension.index(b"\n", end) + 1
            entries, _, folders = extension[end + 1 : at - 1].partition(b" ")
            if int(entries) >= 0:
                found[folder] = extension[at : at + hash_size].hex()
                at += hash_size
            if int(folders) > 0:
                waiting.append((folder, int(folders)))
            if len(folder) > PATH_CAP:
                break
    except ValueError:
        pass  # cut off, or no numbers: what was read so far holds
    return found


def _joined(
    names: list[bytes],
    heads: list[bytes] | _Heads,
    link: bytes,
    hash_size: int,
    read_base: Callable[[str], bytes],
) -> tuple[list[bytes], list[bytes] | _Heads]:
    """The entries of a split index: its shared base without the deleted, with the replaced and the new."""
    from scanner.git.ewah import set_bits  # noqa: PLC0415 - start-up: 0.3 ms that few repositories need

    base_oid = link[:hash_size]
    if len(base_oid) < hash_size:
        raise DamagedError("the split index names no base")
    if not any(base_oid):
        return names, heads
    base = read_base(base_oid.hex())
    base_names, base_offsets, _ = _entries(base, hash_size)
    base_heads = _Heads(base, base_names, base_offsets, hash_size)
    merged: dict[int, tuple[bytes, bytes]] = {
        position: (name, base_heads[position]) for position, name in enumerate(base_names)
    }
    deleted: list[int] = []
    replaced: list[int] = []
    if len(link) > hash_size:
        deleted, at = set_bits(link, hash_size, len(base_names))
        replaced, _ = set_bits(link, at, len(base_names))
    for order, position in enumerate(replaced):
        if names[order]:
            raise DamagedError("a replaced entry of the split index carries a path")
        merged[position] = (base_names[position], heads[order])
    for position in deleted:
        merged.pop(position, None)
    pairs = list(merged.values())
    pairs += [(names[order], heads[order]) for order in range(len(replaced), len(names))]
    stage = hash_size + 40
    pairs.sort(key=lambda pair: (pair[0], pair[1][stage] & 0x30))
    return [name for name, _ in pairs], [head for _, head in pairs]


def _folders(names: list[bytes]) -> set[bytes]:
    folders = {name.rpartition(b"/")[0] for name in names}
    text = b"\0" + b"/\0".join(folders) + b"/"
    if b"\0../" in text or b"/../" in text or [name for name in names if name[0] == _SLASH]:
        raise DamagedError("a path leads out of the work tree")
    return folders
