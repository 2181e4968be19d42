#!/bin/sh
# Run exported tests on this device:  run.sh BUNDLE WORK RESULTS
# BUNDLE is bundle.tar.gz; the directories WORK and RESULTS are made anew, and WORK is removed.
set -eu
rm -rf "$2" "$3"
mkdir -p "$2" "$3"
gzip -dc <"$1" | tar -xf - -C "$2"
sh "$2/tests.sh" "$3"
rm -rf "$2"
