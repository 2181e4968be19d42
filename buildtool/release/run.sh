#!/bin/sh
# Run a program of this release with the libraries and skels that lie beside it:
#   ./run.sh bin/PROGRAM [ARGUMENT...]
# The DSP arch comes from BUILDTOOL_DSP_ARCH, else from device.env two directories up, or the file
# BUILDTOOL_DEVICE_ENV.  The program runs in the directory of the release, or with
# BUILDTOOL_KEEP_DIRECTORY in the current one.
set -eu
case $0 in
    */*) here=${0%/*} ;;
    *) here=. ;;
esac
here=$(CDPATH= cd -- "$here" && pwd)
if [ $# -eq 0 ]; then
    echo "usage: $0 PROGRAM [ARGUMENT...]" >&2
    exit 125
fi
program=$1
shift

device=${BUILDTOOL_DEVICE_ENV:-$here/../../device.env}
if [ -z "${BUILDTOOL_DSP_ARCH:-}" ] && [ -f "$device" ]; then
    . "$device"
fi
if [ -d "$here/dsp" ]; then
    archs() { echo $(ls "$here/dsp"); } # on one line
    if [ -z "${BUILDTOOL_DSP_ARCH:-}" ]; then
        echo "run.sh: the DSP arch of this device is unknown" >&2
        echo "  set BUILDTOOL_DSP_ARCH (this release has $(archs)), or write it into $device" >&2
        exit 125
    fi
    if [ ! -d "$here/dsp/$BUILDTOOL_DSP_ARCH" ]; then
        echo "run.sh: this release has no skels for $BUILDTOOL_DSP_ARCH, it has $(archs)" >&2
        exit 125
    fi
    # Separated by ';', never ':'.  DSP_LIBRARY_PATH would replace it.
    ADSP_LIBRARY_PATH="$here/dsp/$BUILDTOOL_DSP_ARCH${ADSP_LIBRARY_PATH:+;$ADSP_LIBRARY_PATH}"
    export ADSP_LIBRARY_PATH
fi
unset DSP_LIBRARY_PATH
# Only the release's own libraries: vendor directories here shadow system libraries.
LD_LIBRARY_PATH="$here/lib"
export LD_LIBRARY_PATH

[ -n "${BUILDTOOL_KEEP_DIRECTORY:-}" ] || cd -- "$here"
unset BUILDTOOL_DEVICE_ENV BUILDTOOL_KEEP_DIRECTORY # they are for this release only
case $program in
    /*) ;;
    *) program="$here/$program" ;;
esac
if [ ! -f "$program" ]; then
    echo "run.sh: $program does not exist" >&2
    exit 125
fi
exec ${BUILDTOOL_EXEC:+"$BUILDTOOL_EXEC"} "$program" "$@"
