"""What the test launcher has to know to run tests on a device: a JSON file for a suite."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from buildtool.core.checksummed_json import read_checksummed, write_checksummed
from buildtool.core.errors import BuildtoolError
from buildtool.core.value import Value
from buildtool.deploy.transports.emulated import Emulated

if TYPE_CHECKING:
    from buildtool.deploy.transports.transport import Transport


WANTED, GONE = "wanted", "gone"
"""Files beside the records: a program should run and there is no transport; the device could not
be reached in any try."""


class LaunchConfig(Value):
    """Where tests run, and how.

    `device` is the name of the device, `project` the directory there that has the deployment `id`,
    `boot` the boot of the device in which that was found out.  `paths` are directories of this
    machine, each with the one relative to the deployment that mirrors it; `environment` is that of
    CTest, from which the variables of a test are told; each test gets `variables` in addition.
    Records of tests go to the directory `records`.  Without a transport nothing runs: then the file
    `WANTED` is made there when a program should.
    """

    device: str
    transport: Mapping[str, Any]
    project: str
    id: str
    boot: str
    paths: Mapping[str, str]
    environment: Mapping[str, str]
    variables: Mapping[str, str]
    records: str


def write_config(file: Path, config: LaunchConfig) -> None:
    """Write `config` to `file`."""
    write_checksummed(file, config._asdict())


def read_config(file: Path) -> LaunchConfig:
    """The configuration in `file`; raises `BuildtoolError` if it cannot be read."""
    try:
        return LaunchConfig(**read_checksummed(file))
    except (OSError, ValueError, TypeError) as error:
        raise BuildtoolError(
            f"{file} cannot be read",
            why=str(error),
            remedy="Run the tests with `buildtool test`, or unset BUILDTOOL_TEST_LAUNCHER.",
        ) from error


def transport_fields(transport: Transport) -> dict[str, Any]:
    """The fields of a transport that `open_transport` makes it of again."""
    fields: dict[str, Any] = transport._asdict()  # type: ignore[attr-defined]  # all are values
    if isinstance(transport, Emulated):
        fields["environment"] = dict(transport.environment)
    return {"kind": type(transport).__name__, **fields, "program": str(fields.get("program", ""))}


def open_transport(fields: Mapping[str, Any]) -> Transport:
    """The transport with these fields."""
    kind = fields["kind"]
    values = {name: value for name, value in fields.items() if name not in ("kind", "program")}
    if kind == "Emulated":
        return Emulated(**values)
    program = Path(fields["program"])
    if kind == "Ssh":
        from buildtool.deploy.transports.ssh import Ssh  # noqa: PLC0415 - one transport of several

        return Ssh(program=program, **values)
    from buildtool.deploy.transports.adb import Adb  # noqa: PLC0415 - one transport of several

    return Adb(program=program, **values)
