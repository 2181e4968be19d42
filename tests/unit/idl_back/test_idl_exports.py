"""The contents of stubs and skels other than methods: names, versions, the note."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from buildtool.idl.emit import emit
from buildtool.idl.emit.interface_files import note
from buildtool.idl.model import Unit

Load = Callable[[str], Unit]
MULTI = '#include "remote.idl"\ninterface t : remote_handle64 { long m(); };'


def test_a_multi_domain_skel_exports_its_entry_uri_and_version(load_text: Load) -> None:
    skel = emit(load_text(MULTI))["t_skel.c"]
    assert "__QAIC_SKEL(t_skel_handle_invoke)(remote_handle64 _h, uint32_t _sc" in skel
    assert re.search(r'visibility\("default"\).* t_skel_handle_invoke_qaic_version = \d+;', skel)
    assert 't_skel_handle_invoke_uri[] =\n    "file:///libv_skel.so?' in skel


def test_a_plain_skel_exports_its_entry_without_a_handle(load_text: Load) -> None:
    skel = emit(load_text("interface t { long m(); };"))["t_skel.c"]
    assert re.search(r"__QAIC_SKEL\(t_skel_invoke\)\(uint32_t _sc,\s+remote_arg\* _pra\)", skel)
    assert "t_skel_invoke_qaic_version" in skel
    assert "_uri" not in skel


def test_a_plain_stub_opens_its_interface_by_name(load_text: Load) -> None:
    stub = emit(load_text("interface t { long m(); };"))["t_stub.c"]
    assert '__QAIC_REMOTE(remote_handle_open)("t", &own)' in stub


def octets(text: str) -> bytes:
    return bytes(int(octet, 16) for octet in re.findall(r"0x([0-9a-f]{2}),", text))


def test_both_sides_carry_the_digest_of_the_idl(load_text: Load) -> None:
    unit = load_text(MULTI)
    files = emit(unit)
    digest = bytes.fromhex(unit.digest)
    assert octets(files["t_stub.c"]) == octets(files["t_skel.c"]) == digest
    assert '".note.buildtool.idl"' in files["t_stub.c"]


def test_a_comment_does_not_change_the_digest_a_parameter_does(load_text: Load) -> None:
    first = load_text(MULTI).digest
    assert load_text(MULTI + "/* more */").digest == first
    assert load_text(MULTI.replace("m()", "m(in long a)")).digest != first


@pytest.mark.parametrize("digest", ["", "00", "zz" * 32])
def test_a_note_takes_a_sha256_only(digest: str) -> None:
    with pytest.raises(ValueError, match=r"sha256|hexadecimal"):
        note(digest)


def test_only_helpers_in_use_are_carried_along(load_text: Load) -> None:
    files = emit(load_text("interface t { long m(); };"))
    assert "calloc" not in files["t_stub.c"]
    assert "_holds" not in files["t_skel.c"]
    assert "adsp_mmap_fd_getinfo" not in files["t_skel.c"]


def test_bits_for_async_calls_are_weak(load_text: Load) -> None:
    text = '#include "remote.idl"\ninterface t : remote_handle64 { async long m(in long a); };'
    stub = emit(load_text(text))["t_stub.c"]
    assert "#pragma weak remote_handle64_invoke_async" in stub
    assert "weak" not in emit(load_text(MULTI))["t_stub.c"]
