"""A lab: three boards over ssh and a phone over adb, all with emulated DSPs, and its users."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from buildtool.core.value import Value
from tests.device.devices.emulated_board import emulated_board, emulated_phone
from tests.project import Project
from tests.remote.adbd import AdbServer
from tests.remote.boards import end_connections
from tests.remote.sshd import SshServer

BOARDS = {"one": "QCS6490", "two": "SM8350", "three": "SM8650"}
"""Boards and their SoCs; the phone has a QCS6490, too."""
DEVICES = (*BOARDS, "phone")
SECONDS = 60.0

PROGRAM = r"""
/* `wait FILE [BEATS]`: until there is such a file; writes the time to BEATS.
   `meet DIRECTORY NUMBER`: until so many programs are there.
   `status`: return the number in the file `status` of the install root, if there is one. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int count(const char *directory)
{
    int number = 0;
    DIR *entries = opendir(directory);
    for (struct dirent *entry; (entry = readdir(entries)) != NULL;)
        number += entry->d_name[0] != '.';
    closedir(entries);
    return number;
}

static int lab(int argc, char **argv)
{
    char path[4096];
    int status = 0;

    if (argc > 2 && strcmp(argv[1], "wait") == 0) {
        FILE *beats = argc > 3 ? fopen(argv[3], "w") : NULL;
        struct timespec now;

        puts("waiting");
        fflush(stdout);
        while (access(argv[2], F_OK) != 0) {
            clock_gettime(CLOCK_MONOTONIC, &now);
            if (beats != NULL) {
                fprintf(beats, "%ld%09ld\n", (long)now.tv_sec, now.tv_nsec);
                fflush(beats);
            }
            usleep(beats != NULL ? 2000 : 20000);
        }
    } else if (argc > 3 && strcmp(argv[1], "meet") == 0) {
        snprintf(path, sizeof path, "%s/%ld", argv[2], (long)getpid());
        fclose(fopen(path, "w"));
        for (int tries = 0; count(argv[2]) < atoi(argv[3]); tries++) {
            if (tries == 3000) /* about a minute */
                return 1;
            usleep(20000);
        }
        fputs("all are there\n", stderr);
        fputs("without a line break", stdout);
    } else {
        FILE *file = fopen("../../../status", "r");
        if (file != NULL && fscanf(file, "%d", &status) == 1)
            printf("status %d\n", status);
    }
    return status;
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return lab(argc, argv);
"""
"""What the program of the template does when it has arguments."""


class Lab(Value):
    """The servers by the names of their devices, and variables of the environment to reach them."""

    directory: Path
    boards: dict[str, SshServer]
    phone: AdbServer
    variables: dict[str, str]

    def root(self, name: str) -> Path:
        """The install root of a device."""
        return self.directory / "roots" / name

    def devices_toml(self) -> str:
        tables = [
            f'[device.{name}]\ntransport = "ssh"\naddress = "{name}"\n'
            f'tags = ["lab", "board"]\nroot = "{self.root(name)}"\n'
            for name in self.boards
        ]
        phone = (
            f'[device.phone]\ntransport = "adb"\naddress = "{self.phone.serial}"\n'
            f'tags = ["lab"]\nroot = "{self.root("phone")}"\n'
        )
        return "\n".join([*tables, phone])


@contextlib.contextmanager
def lab(directory: Path) -> Iterator[Lab]:
    with contextlib.ExitStack() as stack:
        boards = {
            name: stack.enter_context(emulated_board(directory / name, soc))
            for name, soc in BOARDS.items()
        }
        phone = stack.enter_context(emulated_phone(directory / "phone"))
        client = boards["one"].client
        configs = [
            re.sub(r"\bHost board", f"Host {name}", board.client.config.read_text())
            for name, board in boards.items()
        ]
        client.config.write_text("\n".join(configs))
        path = f"{client.bin}:{phone.environment['PATH']}"
        yield Lab(directory, boards, phone, {**phone.environment, "PATH": path})


class User(Project):
    """A user of the lab, with a home directory and a copy of the project."""

    def command(self, *arguments: str) -> list[str]:
        """The command line of `buildtool ARGUMENTS...`."""
        return [sys.executable, "-P", "-m", "buildtool", *arguments]

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        """Start `buildtool ARGUMENTS...`, a group of its own, with pipes for its output."""
        return subprocess.Popen(
            self.command(*arguments),
            cwd=self.root,
            env={**os.environ, **self.environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    @contextlib.contextmanager
    def holding(self, name: str, until: Path, *options: str) -> Iterator[subprocess.Popen[str]]:
        """A program that runs on a device until there is the file `until`."""
        process = self.start("run", name, *options, "--", "bin/lab", "wait", str(until))
        try:
            assert process.stdout
            assert process.stdout.readline() == "waiting\n"
            yield process
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGTERM)
            process.communicate(timeout=SECONDS)
            until.touch()  # programs in namespaces of their own survive the reboot of a stand-in


@contextlib.contextmanager
def user_of(lab: Lab, name: str) -> Iterator[User]:
    """The user called `name`."""
    home = lab.directory / name
    (home / ".config" / "buildtool").mkdir(parents=True)
    (home / ".config" / "buildtool" / "devices.toml").write_text(lab.devices_toml())
    user = User(home / "lab")
    user.root.mkdir()
    user.succeeds("init", "--template", "hvx")
    user.edit("host/src/main.c", "int main(void)\n{\n", PROGRAM)
    with tempfile.TemporaryDirectory(prefix="ssh-") as sockets:
        user.variables = {
            **lab.variables,
            "HOME": str(home),
            "USER": name,
            "LOGNAME": name,
            "XDG_CONFIG_HOME": str(home / ".config"),
            "XDG_RUNTIME_DIR": sockets,
        }
        yield user
        end_connections(Path(sockets))


def wait_until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)
