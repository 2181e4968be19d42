"""Types of the documents that commands print with --json.

They are used by type checkers, and the schemas in docs/json are made of them: each key has its type
and its meaning.  Integers and numbers are not negative.
"""

from __future__ import annotations


class Extended:
    """A document with the keys of a value, `base` (`module:class`), before its own."""

    base: str
