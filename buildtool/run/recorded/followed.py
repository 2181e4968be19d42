"""The memory that program and DSP share, while the calls of a recording are followed."""

from __future__ import annotations

from collections.abc import Iterable

from buildtool.run.recorded.recording import PAGE, Asked, Recording


class Followed:
    """A recording, and the pages of its shared memory while its calls are followed."""

    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        self.pages: dict[tuple[int, int], int] = {}

    def see(self, changed: tuple[tuple[int, int, int], ...]) -> set[tuple[int, int]]:
        """Follow changes; returns the places."""
        self.pages.update({(memory, place): page for memory, place, page in changed})
        return {(memory, place) for memory, place, _ in changed}

    def page(self, key: tuple[int, int]) -> memoryview:
        return self.recording.page(self.pages.get(key, 0))

    def number(self, fd: int) -> int:
        """The newest memory with that descriptor; 0 if there is none."""
        return max((n for n, (of, _) in self.recording.memories.items() if of == fd), default=0)

    def memory(self, number: int, start: int, size: int) -> bytes:
        """Bytes of a memory; fewer beyond its end."""
        _, whole = self.recording.memories.get(number, (0, 0))
        size = max(0, min(size, whole - start))
        first, last = start // PAGE, (start + size + PAGE - 1) // PAGE
        data = b"".join(self.page((number, place)) for place in range(first, last))
        return data[start - first * PAGE : start - first * PAGE + size]

    def stray(
        self, asked: Asked, places: Iterable[tuple[int, int, int]]
    ) -> tuple[int, int, int] | None:
        """Memory, first place and number of the bytes that changed during a message outside of
        `places`, each a memory, start and end: as if threads of an earlier one were still at work,
        or a kernel wrote beyond its end.  None if there are none, or others are at work."""
        if not asked.quiet:  # it can be a result of another message, or of the program
            return None
        strays = []
        for memory, place, page in asked.changed_after:
            old, new = bytes(self.page((memory, place))), bytes(self.recording.page(page))
            changed = {at for at in range(PAGE) if old[at] != new[at]}
            for number, start, end in places:
                if number == memory:
                    changed.difference_update(range(start - place * PAGE, end - place * PAGE))
            strays += [(memory, place * PAGE + at) for at in changed]
        return (*min(strays), len(strays)) if strays else None
