"""Characters in paths: those that a project may have in its own, and those that it may not."""

from __future__ import annotations

SPECIAL = " !#+-.@_~"
"""The accepted characters of ASCII that are neither letters nor digits, besides `/`."""
SPECIAL_NAME = f"ä {SPECIAL}ß💡e\u0301 "
"""A name with all of these, and with letters beyond ASCII, composed and not."""
REFUSED = "\"$%&'()*,:;<=>?[\\]^`{|}"
CONTROL = "\n\t\x1b\x7f\x85\u2028\u202e"
