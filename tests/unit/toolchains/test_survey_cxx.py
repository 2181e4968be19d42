"""`doctor` names the ARM64 C++ library if it is missing and a prebuilt file needs it."""

from __future__ import annotations
