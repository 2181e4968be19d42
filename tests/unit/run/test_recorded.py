"""Numbers of buffers, operators of a backend, and recordings whose chunks are written here."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from buildtool.project.benches import Compare
from buildtool.project.read import parse_project
from buildtool.run.recorded.cases import write_case
from buildtool.run.recorded.compare import compare
from buildtool.run.recorded.differences import Divergence
from buildtool.run.recorded.numbers import Field, Shape, differences, shape_of
from buildtool.run.recorded.recording import Kind, Recording, RecordingError

PROJECT = '[project]\nname = "p"\n[skel.s]\nsource = "dsp"\n[compare.messages]\ntype = "i32"\n'
HEADER = """
enum htp_data_type {
    HTP_TYPE_F32    = 0,
    HTP_TYPE_F16    = 1,
    HTP_TYPE_Q4_0_TILED = 200,
    HTP_TYPE_Q4_1_TILED,
};
enum htp_op_code {
    HTP_OP_MUL = 0, // first
    HTP_OP_ADD = 1,
    HTP_OP_MUL_MAT,
};
"""
FD = 5
PAGE = 4096


def chunk(kind: Kind, layout: str, *numbers: int, rest: bytes = b"") -> bytes:
    data = struct.pack(f"<{layout}", *numbers) + rest
    data += bytes(-len(data) % 4)
    return struct.pack("<II", kind, len(data)) + data


def content(data: bytes) -> bytes:
    assert len(data) < PAGE
    return struct.pack("<I", len(data)) + data + bytes(-len(data) % 4)


def call(number: int, scalars: int, *buffers: bytes) -> bytes:
    rest = b"".join(map(content, buffers))
    return chunk(Kind.CALL, "4I", number, 1, 1, scalars, rest=rest)


def returned(number: int, code: int, *buffers: bytes) -> bytes:
    return chunk(Kind.RETURN, "Ii", number, code, rest=b"".join(map(content, buffers)))


def recording(file: Path, *chunks: bytes, left_out: int = 0) -> Recording:
    opened = chunk(Kind.OPEN, "IiI", 1, 0, 1, rest=b"file:///libs_skel.so?s_skel_handle_invoke\0")
    file.write_bytes(b"BTRECRD1" + struct.pack("<Q", left_out) + opened + b"".join(chunks))
    return Recording(file)


def compared(folder: Path, left: Recording, right: Recording, header: str = HEADER) -> Divergence:
    (folder / "dsp").mkdir(exist_ok=True)
    (folder / "dsp" / "CMakeLists.txt").touch()
    (folder / "dsp" / "htp-ops.h").write_text(header)
    project = parse_project(folder / "buildtool.toml", PROJECT)
    return compare(project, left, right, same_inputs=True)


@pytest.mark.parametrize(
    ("type_", "left", "right", "rule", "beyond"),
    [
        ("f32", [1.0, 2.0], [1.0, 2.5], Compare(), (1, 1, 0.5)),
        ("f32", [1.0, 2.0], [1.0, 2.5], Compare(absolute=0.5), None),
        ("f32", [1.0, 2.0], [1.0, 2.5], Compare(relative=0.2), (1, 1, 0.5)),
        ("f32", [1.0, 2.0], [1.25, 2.5], Compare(relative=0.25), None),
        ("f32", [1.0, 8.0], [1.5, 8.0], Compare(nmse=0.0038), (0, 1, 0.5)),
        ("f32", [1.0, 8.0], [1.5, 8.0], Compare(nmse=0.0039), None),
        ("i16", [100, 200], [101, 200], Compare(nmse=1.9e-5), (0, 1, 1)),
        ("i16", [100, 200], [101, 200], Compare(nmse=2.1e-5), None),
        ("f32", [1.0], [1.0 + 2**-22], Compare(ulp=1), (0, 1, 2**-22)),
        ("f32", [1.0], [1.0 + 2**-22], Compare(ulp=2), None),
        ("f32", [-(2.0**-149)], [2.0**-149], Compare(ulp=2), None),
        ("f16", [1.0, 65504.0], [1.0, float("inf")], Compare(ulp=9), (1, 1, float("inf"))),
        ("f16", [float("nan"), 1.0], [float("nan"), 2.0], Compare(), (1, 1, 1.0)),
        ("f16", [float("nan")], [2.0], Compare(absolute=9), (0, 1, float("inf"))),
        ("i64", [1 << 62], [0], Compare(), (0, 1, float(1 << 62))),
    ],
)
def test_numbers_differ_beyond_a_rule(
    type_: str,
    left: list[float],
    right: list[float],
    rule: Compare,
    beyond: tuple[int, int, float] | None,
) -> None:
    code = {"f32": "f", "f16": "e", "i16": "h", "i64": "q"}[type_]
    one, other = (struct.pack(f"<{len(side)}{code}", *side) for side in (left, right))
    found, any_ = differences(shape_of("x", type_), one, other, rule)
    assert any_ is not None
    assert (found and (found.element, found.differ, found.largest)) == beyond


def test_bits_of_a_nan_are_no_difference() -> None:
    pair = struct.pack("<I", 0x7FC00000), struct.pack("<I", 0x7FC00001)
    assert differences(shape_of("x", "f32"), *pair, None) == (None, None)


def test_the_field_of_a_struct_is_named() -> None:
    shape = Shape("points", 8, (Field("x", 0, "f32"), Field("flags", 4, "u16")))
    left, right = struct.pack("<fHHfHH", 1, 2, 0, 3, 4, 0), struct.pack("<fHHfHH", 1, 2, 9, 3, 5, 0)
    found, _ = differences(shape, left, right, None)
    assert found is not None
    assert (found.element, found.field.path, found.left, found.right) == (1, "flags", 4, 5)
    assert (found.differ, found.numbers) == (1, 4)


def test_codes_and_outputs_without_an_idl(tmp_path: Path) -> None:
    scalars = 4 << 24 | 1 << 16 | 1 << 8
    chunks = [call(1, scalars, b"ab", b"...."), call(2, scalars, b"ab", b"....")]
    left = recording(tmp_path / "l", *chunks, returned(1, 0, b"1234"), returned(2, 0, b"1234"))
    right = recording(tmp_path / "r", *chunks, returned(1, 0, b"1234"), returned(2, -1, b"1204"))
    found = compared(tmp_path, left, right)
    assert found.first is not None
    assert found.first.lines() == (
        "the first difference is in call 2: method 4 of libs_skel.so",
        "  the code was 0x0 when it was recorded, now 0xffffffff",
    )
    (row,) = found.methods
    assert (row.calls, row.equal, row.differ, row.first) == (2, 1, 1, 2)


def test_what_did_not_end_is_not_compared_and_other_calls_are(tmp_path: Path) -> None:
    scalars = 2 << 24
    left = recording(tmp_path / "l", call(1, scalars), returned(1, 0), call(2, scalars))
    right = recording(tmp_path / "r", call(1, scalars), returned(1, 0), call(2, 3 << 24))
    found = compared(tmp_path, left, left)
    assert (found.first, found.compared, found.missing) == (None, 1, 1)
    other = compared(tmp_path, left, right)
    assert other.first is not None
    assert other.first.lines()[1] == "  the other one goes on with method 3 of libs_skel.so"


def batch(*operators: tuple[int, int]) -> bytes:
    """Descriptors of operators, each with the number of its result: 3 tensors of 16 floats."""
    shape = (16, 1, 1, 1, 4, 64, 64, 64)
    data = struct.pack("<2Q2I", 0, PAGE, 0, FD)
    for number in range(3):
        data += struct.pack("<Q3I2H8I", 1024 + 64 * number, 64, 0, 0, 0, number, *shape)
    for code, result in operators:
        tensors = [0, 1] + [0xFFFF] * 8 + [result] + [0xFFFF] * 3
        data += struct.pack("<2I16i32i14H4x", code, 0, *range(48), *tensors)
    return data


def messages(
    file: Path,
    values: float,
    *operators: tuple[int, int],
    fd: int = FD,
    size: int = PAGE,
    stray: bytes = b"",
) -> Recording:
    """A message with operators and its answer, after which the third tensor has these values, and
    memory that belongs to none `stray`.  Replays have other descriptors `fd`."""
    described = batch(*operators)
    described_size = len(described) + 48 * len(operators)
    page = (described + bytes(PAGE))[:PAGE]
    after = bytearray(page)
    after[1152:1216] = struct.pack("<16f", *([1.0] * 5), values, *([1.0] * 10))
    after[0:8] = struct.pack("<d", values)  # an address of the DSP
    after[3000 : 3000 + len(stray)] = stray
    request = struct.pack("<Q4I", 1, 1, 3, len(operators), 0)
    return recording(
        file,
        chunk(Kind.MEMORY, "IiQ", 1, fd, size),
        chunk(Kind.QUEUE, "Ii4IQ", 1, 3, 0, 0, 0, 0, 0),
        chunk(Kind.PAGES, "", rest=page + bytes(after)),
        chunk(Kind.CHANGED, "5I", 1, 1, 0, 0, 1),
        chunk(
            *(Kind.MESSAGE, "6I", 1, 1, 1, 0, 1, len(request)),
            rest=struct.pack("<4IQ", FD, described_size, 0, 0, 0) + request,
        ),
        chunk(
            *(Kind.ANSWER, "6I", 1, 1, 1, 0, 0, 88),
            rest=struct.pack("<3QI", 1, round(values), round(2 * values), 1) + bytes(60),
        ),
        chunk(Kind.CHANGED, "5I", 1, 1, 1, 0, 2),
    )


def test_results_of_operators_are_compared_and_times_are_not(tmp_path: Path) -> None:
    left = messages(tmp_path / "l", 3.0, (1, 1), (2, 2))
    right = messages(tmp_path / "r", 3.5, (1, 1), (2, 2), fd=FD + 2)
    found = compared(tmp_path, left, right)
    assert found.first is not None
    assert found.first.lines() == (
        "the first difference is in call 1: MUL_MAT(F32 16x1x1x1, F32 16x1x1x1 -> F32 16x1x1x1)",
        "  memory result[5] (f32): 3 was recorded, now 3.5",
        "  1 of 16 numbers differ, by 0.5 at most, NMSE 0.01",
    )
    rows = {row.method: (row.calls, row.equal, row.differ) for row in found.methods}
    assert rows == {"ADD": (1, 1, 0), "MUL_MAT": (1, 0, 1)}
    assert found.strays == ()
    assert found.unused == ("messages",)


def test_memory_that_is_no_result_of_the_message_is_named(tmp_path: Path) -> None:
    left = messages(tmp_path / "l", 3.0, (1, 1), (2, 2))
    right = messages(tmp_path / "r", 3.0, (1, 1), (2, 2), fd=FD + 2, stray=b"\1\0\2")
    found = compared(tmp_path, left, right)
    assert found.first is None
    assert found.strays == (
        "message 1 (ADD, MUL_MAT) now: 2 bytes from 3,000 on in the memory of descriptor 5",
    )


def test_memory_that_is_missing_is_a_difference(tmp_path: Path) -> None:
    left = messages(tmp_path / "l", 3.0, (2, 2))
    found = compared(tmp_path, left, messages(tmp_path / "r", 3.0, (2, 2), size=1000)).first
    assert found is not None
    assert found.lines()[1] == "  the memory result was 64 bytes when it was recorded, now 0 bytes"


def test_overwritten_results_of_operators_are_left_out(tmp_path: Path) -> None:
    left = messages(tmp_path / "l", 3.0, (1, 2), (0, 2))
    assert [row.method for row in compared(tmp_path, left, left).methods] == ["MUL"]


def test_messages_of_other_backends_are_compared_as_numbers(tmp_path: Path) -> None:
    left, right = (messages(tmp_path / str(value), value, (2, 2)) for value in (3.0, 4.0))
    found = compared(tmp_path, left, right, header="").first
    assert found is not None
    assert (found.method, found.where, found.element, found.type) == (
        "messages",
        "answer",
        2,
        "i32",
    )
    assert (found.recorded, found.other) == (3, 4)


def test_a_case_has_the_memory_of_its_message(tmp_path: Path) -> None:
    write_case(messages(tmp_path / "l", 3.0, (2, 2)), 1, tmp_path / "case")
    case = Recording(tmp_path / "case")
    assert case.asked[0].changed_before == ((1, 0, 1),)
    assert bytes(case.page(2)[1152:1156]) == struct.pack("<f", 1.0)
    assert compared(tmp_path, messages(tmp_path / "l", 3.0, (2, 2)), case).first is None


@pytest.mark.parametrize(
    "bad",
    [
        struct.pack("<II", 99, 0),
        struct.pack("<II", Kind.PAGES, 4) + bytes(4),
        struct.pack("<II", Kind.CALL, 4) + bytes(4),
        chunk(Kind.OPEN, "IiI", 5000, 0, 1, rest=b"x\0"),
        chunk(Kind.OPEN, "IiI", 2, 0, 1, rest=b"xxxx"),
        chunk(Kind.CALL, "4I", 1, 1, 1, 1 << 16, rest=struct.pack("<I", 1 << 30)),
        chunk(Kind.CALL, "4I", 1, 1, 1, 1 << 16, rest=struct.pack("<2I", PAGE, 7)),
        chunk(Kind.CALL, "4I", 1, 1, 1, 1 << 4),
        call(1, 0) + call(1, 0),
        returned(1, 0),
        chunk(Kind.MEMORY, "IiQ", 1, -1, PAGE),
        chunk(Kind.MEMORY, "IiQ", 1, 1 << 20, PAGE),
        chunk(Kind.CHANGED, "5I", 1, 1, 0, 0, 0),
        chunk(Kind.MEMORY, "IiQ", 1, 1, PAGE) + chunk(Kind.CHANGED, "5I", 1, 1, 0, 1, 0),
        chunk(Kind.MESSAGE, "6I", 1, 1, 1, 0, 1000, 0),
        chunk(Kind.MESSAGE, "6I", 1, 1, 1, 0, 0, 1 << 31),
        chunk(Kind.ANSWER, "6I", 1, 1, 1, 0, 0, 0),
        chunk(Kind.QUEUE, "Ii4IQ", 64, 3, 0, 0, 0, 0, 0),
        chunk(Kind.CONTROL, "IiI", 2, 0, 0, rest=bytes(300)),
    ],
)
def test_damaged_chunks_are_errors(tmp_path: Path, bad: bytes) -> None:
    with pytest.raises(RecordingError, match="no recording of calls that can be read"):
        recording(tmp_path / "x", bad)


def test_an_end_that_is_missing_is_known(tmp_path: Path) -> None:
    whole = recording(tmp_path / "x", call(1, 0), returned(1, 0), left_out=3)
    assert (whole.cut, whole.left_out, len(whole.asked)) == (False, 3, 1)
    (tmp_path / "y").write_bytes((tmp_path / "x").read_bytes()[:-2])
    cut = Recording(tmp_path / "y")
    assert (cut.cut, cut.asked[0].after) == (True, None)
