"""Characters that the path of a project may contain, and characters that it must not contain."""

from __future__ import annotations

SPECIAL = " !#+-.@_~"
"""The accepted ASCII characters that are neither letters nor digits, except `/`."""
SPECIAL_NAME = f"ä {SPECIAL}ß💡e\u0301 "
"""A name with all of these and with non-ASCII characters, composed and decomposed."""
REFUSED = "\"$%&'()*,:;<=>?[\\]^`{|}"
CONTROL = "\n\t\x1b\x7f\x85\u2028\u202e"
