"""The machines that this project builds for, as ELF files name them.

They stand apart from what reads such files, which most builds do not do.
"""

EM_AARCH64 = 183
EM_HEXAGON = 164
