"""The server configuration in the docs works as described."""

from __future__ import annotations

import os
import re
from pathlib import Path

from buildtool.cache.remote.client import RemoteCache
from buildtool.cache.remote.config import remote_config
from buildtool.core.events import Event, Note
from tests.command_line import REPOSITORY

from .remote_nginx import running

KEY = "0123456789abcdef" * 4


def test_reading_is_public_and_writing_needs_the_password(tmp_path: Path) -> None:
    (block,) = re.findall(
        r"^```nginx\nserver \{\n(.*?)^\}\n```$",
        (REPOSITORY / "docs/cache.md").read_text(),
        flags=re.DOTALL | re.MULTILINE,
    )
    shared = tmp_path / "shared"
    shared.mkdir()
    (tmp_path / "users").write_text("ci:{PLAIN}secret\n")
    for documented, here in (
        ("listen 8080;", ""),
        ("location /builds/", "location /shared/"),
        ("/srv/builds/", f"{shared}/"),
        ("/etc/nginx/builds.htpasswd", str(tmp_path / "users")),
    ):
        assert documented in block
        block = block.replace(documented, here)

    data = os.urandom(3 << 20)
    with running(tmp_path / "nginx", server=block) as nginx:
        url = nginx.url.replace("/builds", "/shared")
        ci_events: list[Event] = []
        writes = {
            "BUILDTOOL_REMOTE_CACHE_MODE": "read-write",
            "BUILDTOOL_REMOTE_CACHE_USER": "ci",
            "BUILDTOOL_REMOTE_CACHE_PASSWORD": "secret",
        }
        config = remote_config({"BUILDTOOL_REMOTE_CACHE": url, **writes})
        assert config is not None
        assert RemoteCache(config, ci_events.append).put(KEY, data, {})
        assert ci_events == []
        assert (shared / "ac" / KEY).is_file()

        config = remote_config({"BUILDTOOL_REMOTE_CACHE": url}, mode="read-write")
        assert config is not None
        events: list[Event] = []
        person = RemoteCache(config, events.append)
        document = person.document(KEY)
        assert document is not None
        assert document.data == data
        assert not person.put(KEY, b"", {})
        assert not person.writable
        assert isinstance(events[0], Note)
        assert "refuses writing (status 401)" in events[0].text
