"""`README.txt`: what a reader of a bundle wants to know first."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from buildtool.core.escape import escape
from buildtool.project.model import BUILT_IN_TARGET
from buildtool.run.bundle.contents import BundleContents
from buildtool.run.bundle.release_parts import DEBUG_NAME
from buildtool.run.bundle.release_parts import NAME as RELEASE_PART
from buildtool.run.bundle.replay_file import NAME as REPLAY_FILE
from buildtool.run.first_finding.first_finding import finding_from_json

NAME = "README.txt"
MAX_LINES = 20
MAX_COLUMNS = 300
WHAT = {
    NAME: "what happened: the cause as far as it was found, the end of the output",
    "run.json": "the command, its environment, how it ended, versions of tools",
    "stdout.txt": "what the program wrote to standard output",
    "stderr.txt": "what the program wrote to standard error",
    "messages.txt": "what buildtool reported meanwhile",
    "dsp.log": "what the DSP logged (--farf)",
    "kernel.log": "the kernel of the device, around the run",
    "logcat.log": "Android's log, around the run",
    "device.json": "facts about the device, digests of libcdsprpc and the DSP shell",
    "card.json": "what the DSP can do, as buildtool probe found",
    "release.json": "the release: files, components, compilers, revision of the sources",
    "build.json": "the build that failed",
    "buildtool.toml": "the project file",
    REPLAY_FILE: "what buildtool run --replay repeats",
    RELEASE_PART: "the release: programs and skels as they are; nothing is replaced in them",
    DEBUG_NAME: "debug information of the skels, for names and lines in crashes",
}
"""The files of bundles, in the order in which they are listed."""


def summary(contents: BundleContents, archive: str) -> bytes:
    """The text of `README.txt` in the file called `archive`; control characters are escaped."""
    lines = _lines(contents, archive)
    return "".join(f"{escape(line)}\n" for line in lines).encode(errors="replace")


def _lines(contents: BundleContents, archive: str) -> Iterator[str]:
    run = contents.document
    where = filter(None, (run["address"], run["soc"], run["arch"]))
    error = run["error"]
    place = "PHONE" if run["platform"] == "android" else BUILT_IN_TARGET
    yield f"{run['project']} on {run['device']}: {_end(contents)}, after {run['seconds']:.1f} s"
    yield ""
    rows = {
        "command": shlex.join(run["command"]) or "(the only program of the release)",
        "device": f"{run['device']} ({', '.join(where)})" if run["address"] else run["device"],
        "target": run["target"],
        "release": run["release"],
        "on the device": run["deployment"],
        "started": run["started"],
        "run": run["run"],
        "started by": shlex.join(run["command_line"]),
        "in": run["directory"],
        "to repeat it": f"buildtool run {place} --replay {shlex.quote(archive)}"
        if REPLAY_FILE in contents.files
        else "",
    }
    yield from (f"{name:<14} {value}" for name, value in rows.items() if value)
    if finding := run["finding"]:
        yield ""
        yield from finding_from_json(finding).text().split("\n")
    if error:
        yield ""
        yield f"error: {error['message']}"
        more = f"{error['why']}\n{error['remedy']}".split("\n")
        yield from (f"  {line}" for line in more if line)
    for name in ("messages.txt", "stderr.txt", "stdout.txt", "dsp.log"):
        if lines := _last(contents.files.get(name, b"")):
            yield ""
            yield f"The end of {name}:"
            yield from (f"  {line}" for line in lines)
    yield ""
    yield "Files:"
    names = {NAME, *contents.files, *contents.parts}
    yield from (f"  {name:<15} {what}" for name, what in WHAT.items() if name in names)
    if contents.missing:
        yield ""
        yield "Not part of this bundle:"
        for name, why in contents.missing.items():
            first, *others = why.split("\n")
            yield f"  {name}: {first}"
            yield from (f"    {line}" for line in others)
    yield ""
    yield "Values of variables that look like secrets, and passwords in URLs, are replaced by ***."


def _end(contents: BundleContents) -> str:
    run = contents.document
    if run["status"] is None:
        return "the run failed"
    return f"exit status {run['status']}" + (f" ({run['signal']})" if run["signal"] else "")


def _last(data: bytes) -> list[str]:
    """The last lines of a file, shortened."""
    text = data[-MAX_LINES * MAX_COLUMNS * 4 :].decode(errors="replace")
    lines = text.rstrip("\n").split("\n")
    return [line[:MAX_COLUMNS] for line in lines[-MAX_LINES:]] if text.strip() else []
