"""The flags of a compiler about headers: directories to search, and macros that may name them."""

from __future__ import annotations

from collections.abc import Iterable

_OPTIONS = ("-iquote", "-I", "-isystem", "-idirafter")  # in search order
_EMBED_OPTIONS = ("--embed-dir",)


def include_directories(
    flags: Iterable[str], base: str, includes: Iterable[str] = (), system: Iterable[str] = ()
) -> tuple[str, ...]:
    """The include directories in search order, of `flags` and of the options that CMake reports
    apart from them; relative ones start at `base`."""
    rows = _paths(flags, base, _OPTIONS)
    rows["-I"][:0] = includes
    rows["-isystem"][:0] = system
    return tuple(dict.fromkeys(path for option in _OPTIONS for path in rows[option]))


def embed_directories(flags: Iterable[str], base: str) -> tuple[str, ...]:
    """The directories that `flags` name for `#embed`."""
    return tuple(_paths(flags, base, _EMBED_OPTIONS)["--embed-dir"])


def macro_definitions(flags: Iterable[str]) -> tuple[str, ...]:
    """The macros that `flags` define: `NAME=VALUE`, or a name."""
    return tuple(_options(flags, ("-D",))["-D"])


def _paths(flags: Iterable[str], base: str, options: tuple[str, ...]) -> dict[str, list[str]]:
    return {
        option: [path if path.startswith("/") else f"{base}/{path}" for path in paths]
        for option, paths in _options(flags, options).items()
    }


def _options(flags: Iterable[str], options: tuple[str, ...]) -> dict[str, list[str]]:
    """The values of each of `options` among `flags`, also as separate words."""
    rows: dict[str, list[str]] = {option: [] for option in options}
    words = iter(flags)
    for word in words:
        for option in options:
            if word.startswith(option):
                rows[option].append(word[len(option) :].removeprefix("=") or next(words, ""))
                break
    return rows
