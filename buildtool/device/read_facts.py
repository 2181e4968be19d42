"""Reads the facts about a device, in one round trip.

What the device prints is not believed: it is bounded, and each value must have the form of its
kind.

Which arch a device's DSP has, from the evidence that was found on the device.
"""

from __future__ import annotations

import re
import secrets
import struct
import tempfile
from collections.abc import Mapping

from buildtool.core.elf.file import EM_HEXAGON
from buildtool.core.errors import BuildtoolError
from buildtool.core.files import is_digest
from buildtool.core.value import Value
from buildtool.device import board
from buildtool.device.arm64_code import dsp_queries
from buildtool.device.board import BASE, EMULATED, PROPERTIES, Board, board_shells, read_soc
from buildtool.device.device import Device
from buildtool.device.emulated.socs import known_socs
from buildtool.device.errors import DeviceError
from buildtool.device.facts import CAPABILITIES, CDSP, DOMAINS, Facts, Node, SystemFile
from buildtool.device.script import MAX_LINE, Parts, parse_parts, printable, script
from buildtool.device.sysroot.device_files import PLACES, PrintedFiles
from buildtool.project.keys import HEXAGON_ARCHS

READ_SECONDS = 60.0
MAX_TEXT_FILE = 1 << 16
MAX_NODES = 64
NODES = ("dev/fastrpc-*", "dev/adsprpc-smd*", "dev/dma_heap/system", "dev/ion", "dev/accel/*")
TOOLS = (
    *("cat", "chmod", "cp", "cut", "dd", "df", "env", "find", "getconf", "gzip", "head", "kill"),
    *("ln", "logcat", "mkdir", "mkfifo", "mv", "od", "readlink", "rm", "rmdir", "run-as", "sed"),
    *("setsid", "sha256sum", "sleep", "sort", "stat", "stty", "tail", "tar", "tee", "timeout"),
    *("touch", "tr", "wc", "xargs", "zstd"),
)
_PROPERTIES_FILE = PLACES.properties[0]  # what getprop prints stands for it
_GLIBC = re.compile(r"(?:GNU C Library|GNU libc|glibc|GLIBC|ld\.so)\b.*?\b(2\.\d{1,3})\b")
_BOOT = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_AT_PAGESZ = 6  # linux/auxvec.h
_PAGE_SIZES = (4096, 16384, 65536)  # of AArch64
HEADER_BYTES = 52  # of an ELF file with 32 bits


def read_facts(device: Device) -> Facts:
    """The facts about `device`; raises `DeviceError`, and the errors of connecting to it."""
    return facts_from(*_read(device, "facts", _patterns()))


def read_facts_and_board(device: Device) -> tuple[Facts, Board]:
    """The facts about `device`, and what its DSP needs on it."""
    facts, found, _ = read_facts_board_and(device, "", {})
    return facts, found


def read_facts_board_and(
    device: Device, scripts: str, variables: Mapping[str, str]
) -> tuple[Facts, Board, Parts]:
    """The facts about `device`, what its DSP needs on it, and the parts that further `scripts` with
    `variables` print."""
    patterns = _patterns()
    patterns["texts"] += f" {' '.join(board.TEXTS)}"
    more = {
        "images": " ".join(board.IMAGES),
        "topics": board.TOPICS,
        "folders": _relative(_shell_folders()),
        **variables,
    }
    parts, address, unasked = _read(device, f"facts board {scripts}", patterns | more)
    return facts_from(parts, address, unasked), board.board_from(parts), parts


def _read(device: Device, scripts: str, variables: Mapping[str, str]) -> tuple[Parts, str, str]:
    """The output of `scripts` on `device`, its address, and why its DSP was not asked, "" if it
    was."""
    device.transport.connect()
    fence = f"[{secrets.token_hex(16)}]"
    try:
        programs = dsp_queries()
        unasked = ""
    except BuildtoolError as error:  # other evidence of the DSP remains
        programs, unasked = (), f"its program cannot be built: {error.message}"
    with tempfile.TemporaryFile() as stream:
        stream.write(b"".join(programs))
        stream.seek(0)
        sizes = [str(len(program)) for program in programs]
        output = device.exec(
            f"{script('parts', *scripts.split())}\npart end",
            {"fence": fence, "root": device.root, "programs": " ".join(sizes), **variables},
            stdin=stream.fileno(),
            timeout=READ_SECONDS,
        )
    parts = parse_parts(output.stdout, fence)
    if parts is None:
        raise DeviceError(
            f"{device.transport.address} gives no facts about itself",
            why=f"its shell ended with status {output.status}: {printable(output.stderr.encode())}",
            remedy="Check that its shell is a POSIX shell, and its tools: sh, head, df, mkdir.",
        )
    return parts, device.transport.address, unasked


def facts_from(parts: Parts, address: str, unasked: str = "") -> Facts:
    """The facts in what the script printed on the device `address`.  `unasked` is the reason why
    libcdsprpc was not asked about the DSP.  Raises `DeviceError` for what cannot be understood."""
    android = parts.text("android") == "yes"
    printed = dict(parts.of("text"))
    if "properties" in parts.texts:
        printed[_PROPERTIES_FILE] = parts.texts["properties"]
    files = PrintedFiles(address, printed)
    soc, model = read_soc(files)
    properties = dict(line.partition("=")[::2] for line in parts.lines("properties"))
    root = parts.texts.get("root", b"").decode("utf-8", errors="surrogateescape")
    if not root.startswith("/") or not root.isprintable():
        raise DeviceError(
            f"the install root of {address} is not an absolute path",
            why=f"it is {root[:80]!r} on the device",
            remedy='Set it in devices.toml: root = "/…"',
        )
    shell = _shell(parts, files, android=android)
    machine = parts.text("machine")
    numbers, others, refused = _answers(parts.texts.get("query", b""))
    if "query" not in parts.texts and machine != "aarch64":
        refused = f"the processor is {machine}"
    elif "query" in parts.texts and not numbers:
        refused = refused or "it gives no answer"
    arch, arch_source = dsp_arch(
        Evidence(
            capabilities=numbers,
            unasked=unasked or refused or "the install root cannot hold the program that asks",
            shell=shell.path,
            shell_arch=header_arch(parts.of("header").get(shell.path, b"")),
            soc=soc,
            emulated=EMULATED in printed,
        )
    )
    user = parts.lines("user")
    links = parts.lines("links")
    return Facts(
        platform="android" if android else "ubuntu-aarch64",
        machine=machine,
        model=model or printable(properties.get("ro.product.model", "").encode()),
        soc=soc,
        arch=arch,
        arch_source=arch_source,
        glibc="" if android else _glibc(parts.lines("glibc")),
        api=_number(properties.get("ro.build.version.sdk", "")),
        page_size=_page_size(parts.texts.get("pages", b"")),
        root=root,
        free=_free(parts.lines("free")),
        unwritable=_unwritable(parts),
        hard_links="hard" in links,
        links="symbolic" in links,
        executable=parts.lines("executable")[-1:] == ["status 7"],
        boot=boot if _BOOT.fullmatch(boot := parts.text("boot")) else "",
        user=printable(user[1].encode()) if len(user) > 1 else "",
        uid=_number(user[0]) if user else 0,
        home=parts.text("home"),
        tools=frozenset(TOOLS) & {*parts.text("tools").split()},
        cdsprpc=next((_file(*row) for row in parts.of("library").items()), SystemFile()),
        shell=shell,
        nodes=tuple(_node(*row) for row in [*parts.of("node").items()][:MAX_NODES]),
        capabilities=numbers,
        domains=({CDSP: arch} if numbers.get("domain_support") else {}) | others,
    )


def _patterns() -> dict[str, str]:
    """The variables of the script that name files, properties and tools."""
    systems = PLACES.platforms.values()
    texts = [*PLACES.compatible, *PLACES.model, *PLACES.soc0, EMULATED]
    texts += [f"{BASE}/conf.d/*.{ending}" for ending in ("yaml", "yml")]
    libraries = [f"{folder}/{name}" for s in systems for name in s.names for folder in s.libraries]
    shells = [
        f"{folder}{domain}/{name}"
        for folder in _shell_folders()
        for domain in ("/cdsp", "")
        for name in PLACES.shell_names
    ]
    return {
        "limit": str(MAX_TEXT_FILE),
        "properties": " ".join(PROPERTIES),
        "tools": " ".join(TOOLS),
        "nodes": " ".join(NODES),
        "texts": _relative(texts),
        "libraries": _relative(libraries),
        "binaries": _relative(shells),
    }


def shells_of_all() -> str:
    """The patterns of the shells of all DSPs, for versions.sh."""
    return _relative(
        [f"{folder}{below}fastrpc_shell*" for folder in _shell_folders() for below in ("/", "/*/")]
    )


def _shell_folders() -> list[str]:
    systems = PLACES.platforms.values()
    return [f"{BASE}/*/*/*/dsp", *(folder for system in systems for folder in system.shells)]


def _relative(paths: list[str]) -> str:
    return " ".join(path.lstrip("/") for path in paths)


def _shell(parts: Parts, files: PrintedFiles, *, android: bool) -> SystemFile:
    """The DSP shell that libcdsprpc loads; the unsigned one is preferred."""
    platform = PLACES.platforms["android" if android else "ubuntu-aarch64"]
    folders = [*board_shells(files), *platform.shells]
    digests = parts.of("digest")
    for name in PLACES.shell_names:
        for folder in folders:
            for domain in ("/cdsp", ""):
                path = f"{folder}{domain}/{name}"
                if path in digests:
                    return _file(path, digests[path])
    return SystemFile()


def _file(path: str, digest: bytes) -> SystemFile:
    word = printable(digest).partition(" ")[0]
    return SystemFile(path, word if is_digest(word) else "")


def _answers(text: bytes) -> tuple[dict[str, int], dict[str, str], str]:
    """The attributes that were answered, by name; the archs of other DSPs; and why attributes were
    not answered."""
    found = {}
    others = {}
    reasons = []
    for line in text.decode("utf-8", errors="replace").splitlines():
        match = re.fullmatch(
            r"(attribute|failed|domain(?= [0-6] )) ([0-8]) (\d{1,10})", line, re.ASCII
        )
        if not match:
            reasons.append(printable(line.removeprefix("error ").encode()))
        elif match[1] == "domain":
            number = int(match[3]) & 0xFF
            others[DOMAINS[int(match[2])]] = f"v{number:x}" if number else ""
        elif match[1] == "attribute":
            found[CAPABILITIES[int(match[2])]] = int(match[3])
        else:
            reasons.append(f"attribute {match[2]}: error {int(match[3]):#x}")
    return found, others, "; ".join(reasons[:4])


def _glibc(lines: list[str]) -> str:
    found = (_GLIBC.search(line[:MAX_LINE]) for line in lines)
    return next((match[1] for match in found if match), "")


def _number(text: str) -> int:
    return int(text) if re.fullmatch(r"\d{1,10}", text, re.ASCII) else 0


def _page_size(vector: bytes) -> int:
    """The page size in an auxiliary vector of a 64-bit or a 32-bit process."""
    for form in ("<QQ", "<II"):
        size = struct.calcsize(form)
        pairs = struct.iter_unpack(form, vector[: len(vector) // size * size])
        found = next((value for kind, value in pairs if kind == _AT_PAGESZ), 0)
        if found in _PAGE_SIZES:
            return int(found)
    return 0


def _free(lines: list[str]) -> int:
    """The bytes available, from what `df -Pk` prints."""
    words = lines[-1].split() if lines else []
    used = next((i for i, word in enumerate(words) if re.fullmatch(r"\d{1,3}%", word)), 0)
    return _number(words[used - 1]) << 10 if used >= 3 else 0


def _unwritable(parts: Parts) -> str:
    lines = parts.lines("writable")
    if lines[-1:] == ["yes"]:
        return ""
    near = parts.text("near")
    reason = printable(lines[0].encode()) if lines else "nothing can be written there"
    return f"{near}: {reason}"


def _node(path: str, text: bytes) -> Node:
    words = text.decode("utf-8", errors="replace").split()
    pattern = r"mode ([0-7]{1,4}) ([\w.-]{1,32}|\?) ([\w.-]{1,32}|\?)"
    found = re.search(pattern, " ".join(words), re.ASCII)
    mode, owner, group = found.groups() if found else ("", "", "")
    return Node(path, mode, owner, group, "readable" in words[:2], "writable" in words[:2])


class Evidence(Value):
    """The evidence on a device about its DSP.

    `capabilities` are libcdsprpc's answers, without which `unasked` says why there are none;
    `shell_arch` is the arch of the DSP shell in the file `shell`; `emulated` is for an emulated
    device, whose shell runs on every arch.
    """

    capabilities: Mapping[str, int]
    unasked: str
    shell: str
    shell_arch: str
    soc: str
    emulated: bool = False


def dsp_arch(evidence: Evidence) -> tuple[str, str]:
    """The arch, "" if it is unknown, and in words how it is known and what did not tell it."""
    asked = _asked(evidence)
    tried = []
    if "arch_ver" in evidence.capabilities:
        number = evidence.capabilities["arch_ver"]
        arch = f"v{number & 0xFF:x}"  # devices report 0x8d73 for v73
        if arch in HEXAGON_ARCHS:
            source = f"libcdsprpc reports ARCH_VER {number:#x}"
            if evidence.shell_arch and evidence.shell_arch != arch and not evidence.emulated:
                source += f"; the DSP shell {evidence.shell} is for {evidence.shell_arch}"
            return arch, source
    tried.append(asked)
    if evidence.shell_arch in HEXAGON_ARCHS:
        return (
            evidence.shell_arch,
            f"the DSP shell {evidence.shell} is for it; {'; '.join(tried)}",
        )
    tried.append(
        f"{evidence.shell} is not a Hexagon program of a known arch"
        if evidence.shell
        else "there is no DSP shell"
    )
    if row := known_socs().get(evidence.soc):
        return row.arch, f"{row.name} has it, as listed; {'; '.join(tried)}"
    tried.append(f"the SoC {evidence.soc} is not listed" if evidence.soc else "the SoC is unknown")
    return "", "; ".join(tried)


def header_arch(header: bytes) -> str:
    """The arch of a Hexagon ELF file, from its first bytes; "" for anything else."""
    if len(header) < HEADER_BYTES or not header.startswith(b"\x7fELF\x01\x01"):
        return ""
    machine, flags = (
        struct.unpack_from("<H", header, 18)[0],
        struct.unpack_from("<I", header, 36)[0],
    )
    return f"v{flags & 0x3FF:x}" if machine == EM_HEXAGON else ""


def _asked(evidence: Evidence) -> str:
    """Why the answers of libcdsprpc do not tell the arch."""
    if "arch_ver" in evidence.capabilities:
        return f"libcdsprpc reports ARCH_VER {evidence.capabilities['arch_ver']:#x}, no known arch"
    return f"libcdsprpc does not tell it ({evidence.unasked})"
