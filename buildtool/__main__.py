"""`python -m buildtool`."""

import sys

from buildtool.cli import main

if __name__ == "__main__":
    sys.exit(main())
