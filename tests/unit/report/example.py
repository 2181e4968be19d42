"""Records of a project that is in use: 200 builds, 20 devices, 500 tests."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

from buildtool.core.history import BUILDS, DIRECTORY, RELEASES, RUNS, TESTS
from buildtool.device.card import Capability, Card, keep_card
from buildtool.device.errors import DeviceFinding
from buildtool.device.facts import SystemFile

BEGIN = 1_780_000_000.0
HOUR = 3600.0
DEVICES, TEST_COUNT, BUILD_COUNT = 20, 500, 200
STEPS = [
    *("host/runtime", "host/app", "host/tools", "skel/attention/v68", "skel/attention/v73"),
    *("skel/matmul/v68", "skel/matmul/v73", "skel/norm/v68"),
]
CAUSE = {
    "name": "missing-skel",
    "cause": "the DSP did not find the skel",
    "evidence": "logcat: dlopen error: /usr/lib/dsp/libmatmul_skel.so: cannot open object file",
    "remedy": "Deploy the release again: buildtool deploy phone",
    "excluded": [],
}

CRASH = {
    "what": "the DSP process crashed: the method has written outside of an argument",
    "buffer": "1 byte past the end of parameter 'out' of matmul_q4_0 (rout, 1,000 bytes)",
    "at": "memcpy (memcpy.zig:137)\nby matmul_q4_0 (matmul.c:181)",
}


def write_example(state: Path, cache: Path) -> None:
    """Write the records below `state`, `.buildtool` of a project, and the cards into `cache`."""
    chance = random.Random(29)
    _write(state, BUILDS, [_build(at, chance) for at in range(BUILD_COUNT)])
    _write(state, RELEASES, [_release(at, chance) for at in range(30)])
    _write(state, TESTS, [_run(at, chance) for at in range(25)])
    _write(state, RUNS, [_failed_run(at) for at in range(3)])
    (state / "bench").mkdir(parents=True)
    for at in range(30):
        for name, unit, middle in (("time", "us", 840.0), ("rate", "tok/s", 31.0)):
            document = _bench(at, name, unit, middle, chance)
            (state / "bench" / f"{name}-{at}.json").write_text(json.dumps(document), "utf-8")
    for at in range(DEVICES):
        keep_card(cache / "devices" / f"card-{at}.json", _card(at))


def _write(state: Path, name: str, lines: list[dict[str, Any]]) -> None:
    (state / DIRECTORY).mkdir(parents=True, exist_ok=True)
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (state / DIRECTORY / f"{name}.jsonl").write_text(text, "utf-8")


def _build(at: int, chance: random.Random) -> dict[str, Any]:
    names = chance.sample(STEPS, chance.randint(1, len(STEPS)))
    failed = at % 17 == 9
    steps: list[dict[str, Any]] = []
    for number, name in enumerate(names):
        last = failed and number == len(names) - 1
        error = {
            "message": f"{name} failed: ninja ended with status 1",
            "why": "dsp/src/matmul.c:181:17: error: use of undeclared identifier 'rows_left'\n"
            "  181 |     while (rows_left)",
            "remedy": f"The whole output is in .buildtool/state/logs/{name}.log",
        }
        steps.append(
            {
                "name": name,
                "outcome": "failed" if last else chance.choice(["built", "built", "restored"]),
                "origin": "",
                "begun": round(number * 0.9, 3),
                "seconds": round(chance.uniform(0.2, 6.0), 3),
                "reasons": [f"dsp/src/{name.split('/')[1]}.c changed: 25256984 → ee467113"],
                "more_reasons": number % 3,
                "error": error if last else None,
            }
        )
    return {
        "started": BEGIN + at * HOUR,
        "seconds": round(max(step["begun"] + step["seconds"] for step in steps), 3),
        "target": "phone" if at % 3 else "board",
        "ok": not failed,
        "up_to_date": len(STEPS) - len(names),
        "steps": steps,
    }


def _release(at: int, chance: random.Random) -> dict[str, Any]:
    def part(name: str, code: int) -> dict[str, Any]:
        sections = {
            ".text": code + at * 96 + chance.randint(0, 64),
            ".rodata": code // 5,
            ".data": 512,
            ".bss": 4096 + at // 10 * 256,
            ".dynsym": 960,
        }
        size = sum(sections.values()) - sections[".bss"]
        return {"name": name, "files": 3, "size": size, "sections": sections}

    return {
        "started": BEGIN + at * 6 * HOUR,
        "target": "phone",
        "build_type": "Release",
        "release": release_id(at),
        "revision": f"{at * 7919 + 0xABCDEF:040x}"[::-1],
        "dirty": at % 5 == 4,
        "slices": [part("host", 182_000), part("v68", 64_000), part("v73", 71_000)],
    }


def release_id(at: int) -> str:
    """The id of a release of the example."""
    return f"{at:02d}" * 32


def _run(at: int, chance: random.Random) -> dict[str, Any]:
    tests = []
    for number in range(TEST_COUNT):
        flaky = number % 100 == 41 and chance.random() < 0.3
        broken = number in (7, 8, 9) and at == 24
        test: dict[str, Any] = {
            "suite": f"kernels-{number // 50}",
            "name": f"case_{number:03d}",
            "outcome": "failed" if flaky or broken else "passed",
            "seconds": round(chance.uniform(0.05, 2.5), 3),
        }
        if flaky or broken:
            test |= {"message": "exit status 1", "said": f"row {number} of 64 differs"}
            test |= {"finding": CAUSE} if broken else {}
        tests.append(test)
    return {
        **{"device": "phone", "soc": "SM8650", "arch": "v75", "target": "phone"},
        "release": release_id(at // 2),
        "deployment": "",
        "started": BEGIN + at * 8 * HOUR,
        "seconds": 612.5,
        "ok": True,
        "interrupted": False,
        "tests": tests,
    }


def _failed_run(at: int) -> dict[str, Any]:
    return {
        "started": BEGIN + (130 + at * 40) * HOUR,
        "seconds": 1.2,
        "device": "board",
        "soc": "QCS6490",
        "release": release_id(at),
        "run": "r1",
        "command": ["bin/app", "--model", "llama <q4> & co"],
        "status": 134,
        "dsp_crash": CRASH["what"],
        "crash": CRASH,
        "finding": CAUSE if at else None,
    }


def _bench(at: int, name: str, unit: str, middle: float, chance: random.Random) -> dict[str, Any]:
    median = middle * (1 - at * 0.004 + chance.uniform(-0.01, 0.01))
    metric = {
        **{"name": name, "unit": unit, "better": "higher" if name == "rate" else "lower"},
        **{"median": median, "low": median * 0.985, "high": median * 1.02},
    }
    return {
        **{"bench": "matvec", "started": BEGIN + at * 6 * HOUR, "device": "phone"},
        **{"soc": "SM8650", "release": release_id(at), "metrics": [metric], "methods": []},
    }


def _card(at: int) -> Card:
    soc = ("SM8350", "SM8450", "SM8550", "SM8650", "QCS6490")[at % 5]
    capabilities = [
        Capability("arch", "v73", f"v{68 + at % 5}", "ok" if at % 7 else "differs"),
        Capability("hvx", "128 bytes", "128 bytes, 4 units"),
        Capability("hmx", "", "", "absent" if at % 5 < 2 else "ok"),
        Capability("vtcm", "8 MiB", f"{4 + at % 5} MiB", "ok", 8 << 20, "bytes"),
        Capability("heap", "", "1.5 GiB", "ok"),
        Capability("threads", "", "6", "ok"),
        Capability("call time", "", f"{210 + at} us", "ok", 210 + at, "us"),
        Capability("unsigned pd", "yes", "yes", "ok" if at % 4 else "untested"),
    ]
    return Card(
        *(f"device-{at}", "2026-03-01T10:15:00Z", release_id(at), f"Model {at}", soc),
        platform="android" if at % 2 else "ubuntu-aarch64",
        cdsprpc=SystemFile(),
        shell=SystemFile(),
        firmware=(f"DSP.HT.{at}.0-00123",),
        rungs=(DeviceFinding("session", "a session opens", ""),),
        capabilities=tuple(capabilities),
    )
