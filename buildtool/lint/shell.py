"""Assignments in shell scripts: also those after `export` and `env`, in here-documents, in commands
that another shell gets, such as those of `adb shell`, and in commands that a variable holds."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from buildtool.core.value import Value

_PIECE = r"""
    (?P<comment>(?<![^\s;&|()])\#[^\n]*)
  | (?P<heredoc><<-?[ \t]*(?P<quote>['"\\]?)(?P<end>[A-Za-z_]\w*)(?P=quote)?)
  | (?P<newline>\n)
  | (?P<blank>[ \t\r]+|\\\n)
  | (?P<operator>[;&|()<>])
  | (?P<single>'[^']*+'?)
  | (?P<double>"(?:[^"\\]|\\.)*+"?)
  | (?P<expansion>\$\{(?:[^{}\\]|\\.|\{[^{}]*\})*+\}?|\$\w+|\$\([^()]*+\)?|`[^`]*+`?|\$.)
  | (?P<plain>\\.|[^\s;&|()<>'"$`\\]+|.)
"""
_ASSIGNMENT = r"([A-Za-z_]\w*)\+?="
_DEFAULT = r"\$\{\w+:?[-+=](.*)\}"
_PART = r"\$\{(?:[^{}\\]|\\.|\{[^{}]*\})*+\}|\$\w+|\$\([^()]*+\)|`[^`]*+`"
_CHARACTER = rf"(?P<part>{_PART})|\\(?P<escaped>.)|(?P<other>.)"
_ADB = r"(?:.*/)?adb(?:\.exe)?|\$\{?\w+\}?"
_SSH = r"(?:.*/)?ssh"
_SSH_VARIABLE = r"\$\{?\w*ssh\w*\}?"
_SSH_WITH_VALUE = r"-[BbcDEeFIiJLlmOopQRSWw]"
_EXPORTS = ("export", "declare", "typeset")
MAX_DEPTH = 3
EXPANSION = "\0"
"""Stands for a value that is not known."""
PLAIN, SINGLE, DOUBLE, WORDS = "plain", "single", "double", "words"
"""Where an assignment is: in the text of a script; in a string in quotes; in words that another
shell gets without their quotes."""


class Assignment(Value):
    """`name=value` at `offset`; in the value, expansions are `EXPANSION`."""

    name: str
    value: str
    offset: int
    where: str = PLAIN  # PLAIN, SINGLE, DOUBLE or WORDS
    cut: str = ""  # what follows on a ";" that ends the value, but seems to be a part of it


class ShellComment(Value):
    text: str
    offset: int


class _Text(Value):
    """What a shell gets of a part of a script: its characters, and where each is from."""

    text: str
    offsets: Sequence[int]


class _Word:
    def __init__(self, offset: int) -> None:
        self.offset = offset
        self.raw = ""
        self.pieces: list[tuple[str, str, int]] = []
        self.follows = ""
        """What follows on a ";" that is directly after the word: " " for a blank."""

    @cached_property
    def value(self) -> _Text:
        """The word without its quotes."""
        texts = [_without_quotes(*piece) for piece in self.pieces]
        return _joined(texts, "")

    @property
    def quoted(self) -> Iterator[tuple[str, _Text]]:
        """The strings in the word, each with its kind of quotes."""
        for kind, piece, offset in self.pieces:
            if kind in (SINGLE, DOUBLE):
                yield kind, _without_quotes(kind, piece, offset)

    @property
    def bare(self) -> str:
        """The word without quotes around it, as it is written."""
        return self.raw.strip("\"'")


def read_script(
    text: str, depth: int = 0, where: str = PLAIN
) -> Iterator[Assignment | ShellComment]:
    """The assignments and comments of a script, which is `where` in another one."""
    word: _Word | None = None
    command, ends, position = list[_Word](), list[str](), 0
    for match in re.finditer(_PIECE, text, re.VERBOSE | re.DOTALL):
        if match.start() < position:
            continue  # in a here-document
        kind, piece = match.lastgroup or "plain", match.group()
        if kind in ("single", "double", "expansion", "plain"):
            word = word or _Word(match.start())
            word.raw += piece
            word.pieces.append((kind, piece, match.start()))
            continue
        if word:
            if piece == ";":
                word.follows = _next_word(text, match.end())
            command.append(word)
            word = None
        if kind == "comment":
            yield ShellComment(piece, match.start())
        elif kind == "heredoc":
            ends.append(match["end"])
        elif kind == "newline" or (kind == "operator" and piece not in "<>"):
            yield from _of_command(command, text, depth, where)
            command.clear()
        if kind == "newline" and ends:
            position = match.end()
            for end in ends[:8]:
                found = re.compile(rf"^\t*{end}$", re.MULTILINE).search(text, position)
                body = text[position : found.start() if found else len(text)]
                if depth < MAX_DEPTH:
                    for each in read_script(body, depth + 1):
                        yield each._replace(offset=each.offset + position)
                position = found.end() if found else len(text)
            ends.clear()
    if word:
        command.append(word)
    yield from _of_command(command, text, depth, where)


def _next_word(text: str, position: int) -> str:
    """What is at `position`: a word, " " for a blank before another word, "" for the end."""
    found = re.compile(r"[^\s;&|()<>]++|[ \t]+(?=[^\s;&|()<>#])").match(text, position)
    return (found[0].strip() or " ") if found else ""


def _of_command(words: Sequence[_Word], text: str, depth: int, where: str) -> Iterator[Assignment]:
    start = _start_of_other(words) if depth < MAX_DEPTH else len(words)
    exported = any(word.raw in _EXPORTS for word in words[:start])
    for word in words[:start]:
        found = re.match(_ASSIGNMENT, word.raw)
        if found:
            value = word.value.text[len(found[0]) :]
            is_exported = exported or re.search(rf"\bexport\s+{found[1]}\b", text) is not None
            cut = _cut(word.follows, is_exported, where)
            yield Assignment(found[1], value, word.offset, where, cut)
        if depth < MAX_DEPTH:
            for kind, inner in word.quoted:
                if "LIBRARY_PATH=" in inner.text if found else "=" in inner.text:
                    yield from _inside(inner, depth, kind)
    others = words[start:]
    if any("=" in word.raw for word in others):
        kinds = [kind for kind, _, _ in others[0].pieces]
        is_string = len(others) == 1 and kinds in ([SINGLE], [DOUBLE])
        given = _joined([word.value for word in others], " ")
        yield from _inside(given, depth, kinds[0] if is_string else WORDS)


def _inside(inner: _Text, depth: int, where: str) -> Iterator[Assignment]:
    for each in read_script(inner.text, depth + 1, where):
        if isinstance(each, Assignment):
            yield each._replace(offset=inner.offsets[each.offset])


def _cut(follows: str, exported: bool, where: str) -> str:
    """What a ";" separates from a value by mistake: a path directly after it, or the program that
    was to get the variable, if the quotes around the value are gone."""
    if not exported:
        return (
            follows.strip()
            if follows.strip()
            else "the program"
            if where == WORDS and follows
            else ""
        )
    return follows if re.match(r"[\"']?[/$~\0]", follows) else ""


def _start_of_other(words: Sequence[_Word]) -> int:
    """The index of the first word that another shell gets, after `adb shell` or `ssh HOST`; that
    behind the last word if there is none."""
    for index, word in enumerate(words):
        rest = range(index + 1, len(words))
        if re.fullmatch(_ADB, word.bare):
            shell = next((i for i in rest if words[i].raw in ("shell", "exec-out")), None)
            if shell is not None:
                return next((i for i in rest if i > shell and words[i].raw[:1] != "-"), len(words))
        if re.fullmatch(_SSH_VARIABLE, word.bare, re.IGNORECASE):
            return index + 1
        if re.fullmatch(_SSH, word.bare):
            return _after_host(words, index + 1)
    return len(words)


def _after_host(words: Sequence[_Word], index: int) -> int:
    while index < len(words) and words[index].raw[:1] == "-":
        index += 2 if re.fullmatch(_SSH_WITH_VALUE, words[index].raw) else 1
    return min(index + 1, len(words))


def _joined(texts: Iterable[_Text], blank: str) -> _Text:
    text, offsets = list[str](), list[int]()
    for each in texts:
        if text and blank:
            text.append(blank)
            offsets.append(offsets[-1] if offsets else 0)
        text.append(each.text)
        offsets += each.offsets
    return _Text("".join(text), offsets)


def _without_quotes(kind: str, piece: str, offset: int) -> _Text:
    """A piece of a word as the shell passes it on."""
    if kind in (SINGLE, DOUBLE):
        offset += 1
        piece = piece[1:-1] if len(piece) > 1 and piece[-1] == piece[0] else piece[1:]
    if kind == SINGLE:
        return _Text(piece, range(offset, offset + len(piece)))
    text, offsets = list[str](), list[int]()
    for match in re.finditer(_CHARACTER, piece, re.DOTALL):
        if match["part"]:
            found = _known(match["part"])
        elif (escaped := match["escaped"]) is not None:
            found = match[0] if kind == DOUBLE and escaped not in '$`"\\\n' else escaped
            found = "" if escaped == "\n" else found
        else:
            found = EXPANSION if kind == "expansion" else match["other"]
        text.append(found)
        offsets += [offset + match.start()] * len(found)
    return _Text("".join(text), offsets)


def _known(part: str, depth: int = 0) -> str:
    """`EXPANSION`, and after it what is known of an expansion: of `${x:+text}` the text."""
    default = re.fullmatch(_DEFAULT, part, re.DOTALL)
    if not default or depth >= MAX_DEPTH:
        return EXPANSION
    inner = re.sub(_PART, lambda match: _known(match[0], depth + 1), default[1])
    return EXPANSION + inner
