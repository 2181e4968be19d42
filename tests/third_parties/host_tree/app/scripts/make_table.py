"""Write a C table of the numbers in a CSV file: make_table.py ANGLES.csv TABLE.h."""

import sys
from pathlib import Path

source, target = map(Path, sys.argv[1:])
numbers = [int(word) for word in source.read_text().replace(",", " ").split()]
target.write_text(
    f"#define TABLE_SIZE {len(numbers)}\n"
    f"static const int beam_table[] = {{{', '.join(map(str, numbers))}}};\n"
)
