#!/bin/sh
# Good guess: an editable installation imports the sources as they are, so after `git pull` the new
# ones are imported.
#
# What happens: scikit-build-core's editable installation (mode "redirect") has a table of names and
# files, made when it was installed.  A package that has become a module of the same name is looked
# for in its former directory, and the import ends with FileNotFoundError, which no
# `except ImportError` handles; a new module is found, if its package was there before.
#
# Why it matters: a change that moves modules works where it was made by hand with PYTHONPATH or
# installed again, and fails in every other clone; whoever sets clones up has to notice it, or name
# the module differently.
#
# Seen with scikit-build-core 1.1.2 from PyPI and Python 3.11.
set -eu
scratch=$(mktemp -d)
trap 'rm -r "$scratch"' EXIT
python3 -m venv "$scratch/venv"
PATH=$scratch/venv/bin:$PATH
export PIP_DISABLE_PIP_VERSION_CHECK=1
pip install --quiet scikit-build-core==1.1.2 cmake==4.4.5 ninja==1.13.0

project=$scratch/project
mkdir -p "$project/demo/part" && cd "$project"
cat >pyproject.toml <<'END'
[build-system]
requires = ["scikit-build-core==1.1.2"]
build-backend = "scikit_build_core.build"
[project]
name = "demo"
version = "1"
[tool.scikit-build]
wheel.packages = ["demo"]
wheel.cmake = false
END
touch demo/__init__.py
echo 'ANSWER = 1' >demo/part/__init__.py
pip install --quiet --no-build-isolation --editable .

rm -r demo/part
echo 'ANSWER = 2' >demo/part.py
echo 'ANSWER = 3' >demo/new.py
cd "$scratch"
python3 - <<'END'
import sys
seen = []
for name in ("demo.part", "demo.new"):
    try:
        seen.append(__import__(name, fromlist=["ANSWER"]).ANSWER)
    except Exception as error:
        seen.append(type(error).__name__)
print("a package that became a module:", seen[0])
print("a new module:", seen[1])
sys.exit(seen != ["FileNotFoundError", 3])
END
