"""The devices that `--on` lists, `q6a,phone`, `tag:v75`, `all:lab`, `sim:qcs6490`; their locks."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator

from buildtool.core.errors import BuildtoolError, UsageError
from buildtool.core.events import Listener, Note
from buildtool.core.value import Value
from buildtool.device.configuration import (
    ConfiguredDevice,
    configured_devices,
    device_of,
    open_device,
)
from buildtool.device.errors import DeviceError
from buildtool.device.sharing import DeviceLock
from buildtool.project.model import BUILT_IN_TARGET, Project
from buildtool.project.tables import suggest

FIRST, ALL, SOC = "tag", "all", BUILT_IN_TARGET
POLL_SECONDS = 5.0
FORM = "Write names of devices, tag:TAG, all:TAG, sim or sim:SOC, with commas between them."


class NoFreeDeviceError(DeviceError):
    """No device with a tag is free."""

    code = "device-in-use"


class Chosen(Value):
    """A device by its name; `soc` is the SoC of an emulated one, "" for its default."""

    name: str
    soc: str = ""

    def __str__(self) -> str:
        return f"{self.name}:{self.soc}" if self.soc else self.name


def select_devices(
    text: str,
    project: Project | None,
    reserve: Callable[[str], str],
    listener: Listener,
    *,
    wait: float = 0,
) -> tuple[Chosen, ...]:
    """The devices that `text` lists, in its order and each of them once.

    `tag:TAG` is the first device with the tag that `reserve` reserves: it returns "", or why the
    device cannot be had now.  Devices are tried again for `wait` seconds.  `all:TAG` are all of
    them.  The arch of a device's DSP is a tag, too, if facts about the device are remembered.  The
    emulated device counts for `all:`, and for `tag:` when no other device has the tag.

    Raises `UsageError` for what names no device, `NoFreeDeviceError`, and `DevicesError`.
    """
    devices = configured_devices(project)
    words = [word.strip() for word in text.split(",")]
    found: dict[int, list[Chosen]] = {}
    tags: dict[int, str] = {}
    for number, word in enumerate(words):
        kind, colon, value = word.partition(":")
        if colon and kind in (FIRST, ALL):
            names = _with_tag(value, devices, project)
            if kind == ALL:
                found[number] = [Chosen(name) for name in names]
            else:
                tags[number] = value
        else:
            found[number] = [_named(word, devices)]
    # Devices that are named are not free for a tag.
    for number, tag in tags.items():
        taken = {chosen.name for row in found.values() for chosen in row}
        names = [name for name in _with_tag(tag, devices, project) if name not in taken]
        real = [name for name in names if name != BUILT_IN_TARGET]
        found[number] = [Chosen(_first(tag, real or names, reserve, listener, wait))]
    return tuple(dict.fromkeys(chosen for _, row in sorted(found.items()) for chosen in row))


def _named(word: str, devices: dict[str, ConfiguredDevice]) -> Chosen:
    if word in devices or word == BUILT_IN_TARGET:
        return Chosen(word)
    kind, _, value = word.partition(":")
    if kind == SOC and value:
        from buildtool.device.emulated.socs import find_soc  # noqa: PLC0415 - for sim only

        return Chosen(BUILT_IN_TARGET, find_soc(value).name)
    raise UsageError(
        f"--on: there is no device {word!r}",
        why=f"known: {', '.join([BUILT_IN_TARGET, *devices])}",
        remedy=FORM if not word or ":" in word else f"{suggest(word, devices)} {FORM}",
    )


def _with_tag(tag: str, devices: dict[str, ConfiguredDevice], project: Project | None) -> list[str]:
    """The names of the devices with a tag, at least one."""
    tags_of = _tags_in_lab if "=" in tag else _tags
    found = [name for name, device in devices.items() if tag in tags_of(name, device, project)]
    if tag == _sim_arch():
        found.append(BUILT_IN_TARGET)
    if not found:
        known = sorted({tag for device in devices.values() for tag in device.tags})
        raise UsageError(
            f"--on: no device has the tag {tag!r}",
            why=f"tags in devices.toml: {', '.join(known) or 'none'}; the arch of a device's DSP is"
            " a tag, too, once the device was used",
            remedy="Look at the tags of the lab: labgrid-client -v places"
            if "=" in tag
            else 'Add it to the device in devices.toml: tags = ["TAG"]',
        )
    return found


def _tags(name: str, device: ConfiguredDevice, project: Project | None) -> Iterator[str]:
    from buildtool.device.known_facts import remembered_facts  # noqa: PLC0415 - for tags only

    yield from device.tags
    with contextlib.suppress(BuildtoolError):  # no ssh here, for example
        if facts := remembered_facts(device_of(name, device, project)):
            yield facts.arch


def _tags_in_lab(name: str, device: ConfiguredDevice, project: Project | None) -> Iterator[str]:
    """The tags `KEY=VALUE` of its place, if it has one."""
    if listed := getattr(device_of(name, device, project).transport, "listed_place", None):
        yield from listed().tags


def _sim_arch() -> str:
    from buildtool.device.emulated.socs import DEFAULT_SOC, find_soc  # noqa: PLC0415 - for tags

    return find_soc(DEFAULT_SOC).arch


def _first(
    tag: str, names: list[str], reserve: Callable[[str], str], listener: Listener, wait: float
) -> str:
    deadline = time.monotonic() + wait
    told = False
    while True:
        reasons = []
        for name in names:
            reason = "" if name == BUILT_IN_TARGET else reserve(name)
            if not reason:
                return name
            reasons.append(reason)
        why = "; ".join(reasons) or "the list names all of them"
        if not names or time.monotonic() >= deadline:
            raise NoFreeDeviceError(
                f"no device with the tag {tag!r} is free",
                why=why,
                remedy="Wait for one: --wait forever; or name other devices.",
            )
        if not told:
            listener(Note(f"waiting for a device with the tag {tag!r}: {why}"))
        told = True
        time.sleep(min(POLL_SECONDS, max(0, deadline - time.monotonic())))


class ReservedDevices(contextlib.ExitStack):
    """A context manager that holds the locks of the devices that `reserve` reserves for `purpose`.
    `locks` are the locks by the names of devices; their `environment` is for the processes."""

    def __init__(self, project: Project | None, purpose: str, listener: Listener) -> None:
        super().__init__()
        self.locks: dict[str, DeviceLock] = {}
        self._project = project
        self._purpose = purpose
        self._listener = listener

    def reserve(self, name: str) -> str:
        """Hold the lock of the device `name`; returns "", or why it cannot be held now."""
        device = None
        try:
            device = open_device(name, self._project)
            device.transport.connect()
            lock = self.enter_context(DeviceLock(device, self._purpose, self._listener))
            lock.hold()
        except BuildtoolError as error:
            if device:
                device.leave()
            return error.message
        self.locks[name] = lock
        return ""
