"""Files: digests of content, and writes that are whole or not at all."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

_SHA256 = re.compile(r"[0-9a-f]{64}")


def is_digest(text: str) -> bool:
    """Whether `text` is a sha256 in lower-case hex."""
    return _SHA256.fullmatch(text) is not None


def file_digest(path: Path) -> str:
    """sha256 of the file's bytes, in hex."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def value_digest(value: Any) -> str:
    """sha256 of a JSON-able value with named fields, independent of key order."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def tree_digest(roots: Iterable[Path]) -> str:
    """sha256 of every file below the roots: path, executable or not, content (of a link: target).

    Directories whose name starts with a dot and `__pycache__` do not count.
    """
    rows = []
    for number, root in enumerate(roots):
        for folder, folders, names in os.walk(root):
            folders[:] = sorted(d for d in folders if not d.startswith(".") and d != "__pycache__")
            for name in sorted(names):
                path = Path(folder, name)
                content = str(path.readlink()) if path.is_symlink() else file_digest(path)
                runs = bool(path.lstat().st_mode & 0o100)
                rows.append([number, str(path.relative_to(root)), runs, content])
    return value_digest(rows)


def write_if_changed(path: Path, text: str | bytes, *, mode: int = 0o644) -> bool:
    """Write `text` to `path` in one step; leave the file alone when it says so already.

    Returns True when the file changed.  An unchanged file keeps its time stamp, so
    nothing that depends on it is rebuilt.
    """
    data = text.encode() if isinstance(text, str) else text
    if path.is_file() and path.read_bytes() == data:
        return False
    import tempfile  # noqa: PLC0415 - mostly nothing changed

    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        os.chmod(name, mode)  # noqa: PTH101 - the temporary name is a plain string
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    return True
