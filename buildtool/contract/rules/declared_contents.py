"""The files and links of a release are as its release.json lists them: digest, size and mode.

Otherwise a file was damaged or changed after the release was made.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from buildtool.contract.finding import Finding, Rule
from buildtool.contract.promise import PromisedFile
from buildtool.contract.subject import Subject
from buildtool.core.files import file_digest

RULE = Rule("declared-contents", __doc__)


def check(subject: Subject) -> Iterator[Finding]:
    for path, promised in sorted((subject.promise.files or {}).items()):
        if path in subject.files:
            why = _difference(subject.files[path], promised)
        elif path in subject.links:
            why = f"it is a link to {subject.links[path]}, not a file"
        else:
            continue
        if why:
            yield _finding(path, why)
    for path, target in sorted(subject.promise.links.items()):
        if path in subject.files:
            yield _finding(path, f"it is a file, not a link to {target}")
        elif path in subject.links and subject.links[path] != target:
            yield _finding(path, f"it is a link to {subject.links[path]}, not to {target}")


def _difference(file: Path, promised: PromisedFile) -> str:
    """The difference between `file` and the list, "" if there is none."""
    try:
        status = file.stat()
        if status.st_size != promised.size:
            return f"it has {status.st_size:,} bytes, not {promised.size:,}"
        if (digest := file_digest(file)) != promised.sha256:
            return f"its sha256 is {digest}, not {promised.sha256}"
    except OSError as error:
        return f"it cannot be read: {error.strerror}"
    mode = f"{status.st_mode & 0o7777:04o}"
    return "" if mode == promised.mode else f"its mode is {mode}, not {promised.mode}"


def _finding(path: str, why: str) -> Finding:
    return RULE.error(
        path,
        f"{path} is not as the release lists it",
        why=why,
        remedy="Make the release again, or copy it again.",
    )
