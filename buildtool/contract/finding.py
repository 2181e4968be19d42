"""Rules and what they find."""

from __future__ import annotations

from typing import TYPE_CHECKING

from buildtool.core.value import Value

if TYPE_CHECKING:
    from buildtool.documents.inspection import FindingObject

ERROR, WARNING = "error", "warning"


class Finding(Value):
    """One problem of one file.

    `severity` is `ERROR` or `WARNING`; `path` is relative to what was checked, "" for all of it.
    `message` is what happened, and names the file; `why` has one line or several.
    """

    rule: str
    severity: str
    path: str
    message: str
    why: str
    remedy: str

    def as_json(self) -> FindingObject:
        return {
            "rule": self.rule,
            "severity": self.severity,
            "path": self.path,
            "message": self.message,
            "why": self.why,
            "remedy": self.remedy,
        }


class Rule(Value):
    """A rule: its name, and as `text` what it requires and the reason, the docstring of its module.

    `code` is the code of the error if a build fails because of it.
    """

    name: str
    text: str | None
    code: str = "contract"

    @property
    def requirement(self) -> str:
        """The requirement of the rule, in one sentence."""
        return " ".join((self.text or "").partition("\n\n")[0].split())

    @property
    def reason(self) -> str:
        """Why the rule requires it."""
        return " ".join((self.text or "").partition("\n\n")[2].split())

    def error(self, path: str, message: str, *, why: str, remedy: str) -> Finding:
        return Finding(self.name, ERROR, path, message, why, remedy)

    def warning(self, path: str, message: str, *, why: str, remedy: str) -> Finding:
        return Finding(self.name, WARNING, path, message, why, remedy)
