"""What `deploy`, `rollback`, `run`, `capture` and `test` print."""

from __future__ import annotations

from typing import Annotated, Any, TypedDict


class ReleaseObject(TypedDict):
    """What a command did with a release on a device."""

    device: Annotated[str, "name of the device"]
    target: Annotated[str, "target of buildtool.toml"]
    release: Annotated[str, "id of the release on this machine, a digest of its files"]
    deployment: Annotated[str, "id of what the device has of it"]
    arch: Annotated[str, 'DSP arch of its skels; "" for none']


class DeployDocument(ReleaseObject):
    directory: Annotated[str, "the release on the device"]
    files: Annotated[int, "number of files and links that were sent"]
    size: Annotated[int, "bytes in them"]
    repaired: Annotated[list[str], "files that --verify found damaged, and sent again"]


class RollbackDocument(TypedDict):
    device: Annotated[str, "name of the device"]
    former: Annotated[str, "id of the release that was current"]
    current: Annotated[str, "id of the release that is current now"]


FirstFindingObject = Annotated[dict[str, Any], "buildtool.run.first_finding:FirstFinding"]


class ForwardObject(TypedDict):
    here: Annotated[int, "port of 127.0.0.1"]
    there: Annotated[int, "port of the device"]


class MethodCountsObject(TypedDict):
    skel: Annotated[str, 'file name of the skel; "" for its threads outside of calls']
    method: Annotated[
        int, "number of the method in the IDL; 4294967295: callbacks of the skel's queues"
    ]
    name: Annotated[str, 'name of the method; "" if it is unknown']
    calls: Annotated[int, "number of calls, or of messages in queues"]
    packets: Annotated[int, "packets that the DSP executed, without those of loops that wait"]
    instructions: Annotated[int, "instructions that the DSP executed"]
    hvx: Annotated[int, "HVX instructions among them"]
    waiting: Annotated[
        int, "packets of loops in which threads waited, and of callbacks that looked for messages"
    ]
    bytes_in: Annotated[int, "bytes of in buffers"]
    bytes_out: Annotated[int, "bytes of out buffers"]
    bytes_copied: Annotated[int, "bytes of these buffers that were not shared memory"]
    exact: Annotated[bool, "false if another run with the same data can have other counts"]
    within: Annotated[int, "by how many packets, if that is known; else 0"]


DspMethodObject = Annotated[dict[str, Any], "buildtool.run.dsp_calls:DspMethod"]


DspCallsObject = Annotated[dict[str, Any], "buildtool.run.dsp_calls:DspCalls"]


FunctionProfileObject = Annotated[dict[str, Any], "buildtool.run.profile.profile:FunctionProfile"]


class ProfileObject(TypedDict):
    tool: Annotated[str, 'profiler of the device; "" on sim, where skels are profiled']
    samples: Annotated[
        int,
        "samples of the program; on sim in skels and what they called, of the time of the emulator",
    ]
    outside: Annotated[int, "samples in the DSP's system for itself"]
    uncounted: Annotated[str, 'why packets of functions are not counted; "" if they are']
    unsampled_threads: Annotated[int, "threads of the DSP that are in no sample"]
    functions: Annotated[
        list[FunctionProfileObject], "a row for each function, those with most samples first"
    ]
    files: Annotated[list[str], "paths of the files with the profile"]


class RunResultObject(ReleaseObject):
    soc: Annotated[str, 'SoC of the device; "" if it is unknown']
    run: Annotated[str, "name of the run; its logs are there in logs/RUN"]
    command: Annotated[list[str], "the program and its arguments"]
    status: Annotated[int, "exit status of the program, 128+n for signal n"]
    seconds: Annotated[float, "wall time of the program"]
    forward: Annotated[list[ForwardObject], "TCP ports of the device that were reachable here"]
    dsp_crash: Annotated[
        str,
        'how the DSP process crashed, in a line; "" if it did not, or if that cannot be known',
    ]
    methods: Annotated[
        list[MethodCountsObject], "on the emulated device, what the DSP executed for each method"
    ]
    profile: Annotated[ProfileObject | None, "with --profile, the profile; else null"]
    finding: Annotated[FirstFindingObject | None, "why it failed, as far as that was found"]
    dsp_calls: Annotated[
        DspCallsObject | None, "with --expect-dsp, what the program asked of the DSP; else null"
    ]


class RunDocument(RunResultObject):
    bundle: Annotated[
        str | None, "path of the archive that the failure left (--bundle); null for none"
    ]
    trace: Annotated[str | None, "with --trace, path of the trace; else null"]


class CapturedFileObject(TypedDict):
    path: Annotated[str, "name of the file in the archive"]
    size: Annotated[int, "its bytes"]


class MissingFileObject(TypedDict):
    path: Annotated[str, "name of a file that the archive does not contain"]
    why: Annotated[str, "the reason"]


class CaptureDocument(RunResultObject):
    capture: Annotated[str, "path of the archive"]
    files: Annotated[list[CapturedFileObject], "the files in it"]
    missing: Annotated[list[MissingFileObject], "what it could contain and does not"]


class TestResultObject(TypedDict):
    suite: Annotated[
        str,
        'the name of a host component for a test of ctest, "test" for a program of [test.NAME],'
        " NAME for a test of its pytest",
    ]
    name: Annotated[str, "name of the test in its suite"]
    device: Annotated[str, "name of the device"]
    outcome: Annotated[
        str,
        "how it ended; the last five are bad",
        (
            "passed",
            "skipped",
            "expected failure",
            "failed",
            "crashed",
            "timed out",
            "unexpected pass",
            "not run",
        ),
    ]
    seconds: Annotated[float, "its wall time"]
    message: Annotated[str, 'why it did not pass, in a line; "" if it passed']
    output: Annotated[str, "what it wrote, or the end of it"]
    lost: Annotated[list[str], "a line for each time that the connection was lost"]
    dsp_crash: Annotated[bool, "whether it crashed because the DSP process did"]
    methods: Annotated[
        list[MethodCountsObject],
        "for [test.NAME] with a program and tests of CTest, on the emulated device: what the DSP"
        " executed",
    ]
    finding: Annotated[FirstFindingObject | None, "why it failed, as far as that was found"]


class TestDocument(ReleaseObject):
    soc: Annotated[str, 'SoC of the device; "" if it is unknown']
    firmware: Annotated[str, 'build of the firmware, as the card has it; "" if it is unknown']
    started: Annotated[int, "when the first test began, in seconds since the epoch"]
    seconds: Annotated[float, "wall time of all tests together"]
    ok: Annotated[
        bool, "whether no test is bad; the exit status is 0 then, else 1, and 130 after Ctrl-C"
    ]
    interrupted: Annotated[
        bool, "whether Ctrl-C ended the tests; those without a result are not run then"
    ]
    tests: Annotated[list[TestResultObject], "the tests, in the order in which they ended"]


class TestNameObject(TypedDict):
    suite: Annotated[str, "as in the results"]
    name: Annotated[str, "as in the results"]


class TestExportDocument(TypedDict):
    """What `test --export DIR --for SERVICE:DEVICE` prints."""

    export: Annotated[str, "id of the export"]
    directory: Annotated[str, "the directory"]
    tests: Annotated[int, "number of tests that run there"]


class TestListDocument(TypedDict):
    """What `test --list` prints."""

    tests: Annotated[list[TestNameObject], "the tests"]
