"""Where the log of a step and its warnings are."""

from __future__ import annotations

from pathlib import Path


def log_file(folder: Path, name: str) -> Path:
    """The path of the log of the step `name`: `skel/scale/v73` → `skel-scale-v73.log`."""
    return _file(folder, name, "log")


def warnings_file(folder: Path, name: str) -> Path:
    """The path of the warnings of the step `name`, see `step_warnings`."""
    return _file(folder, name, "warnings")


def _file(folder: Path, name: str, suffix: str) -> Path:
    return folder / f"{name.replace('/', '-')}.{suffix}"
