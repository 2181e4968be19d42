"""What scripts on devices get as arguments in tests."""

from __future__ import annotations

from hypothesis import strategies as st

from buildtool.device.device import Device

# Drawing from all of Unicode takes seconds to begin with.
_CHARACTERS = "ab \t\n\r\x01\x7f'\"\\`$!;&|<>(){}[]*?~#=%^@-é€𝕏"
ARGUMENTS = st.lists(st.text(st.sampled_from(_CHARACTERS)))


def assert_arguments_arrive(device: Device, arguments: list[str]) -> None:
    """A script gets exactly these arguments, and one that is hard to quote."""
    arguments = [*arguments, "\\'\n$(x)\\"]
    done = device.exec("printf '%s\\0' \"$@\"", arguments=arguments)
    assert done.stdout == "\0".join([*arguments, ""]).encode()
