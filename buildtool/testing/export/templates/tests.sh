#!/bin/sh
# Run the tests one after another:  tests.sh RESULTS
# The directory RESULTS gets results.txt, with a line for each test, and N.log, the output of test N.
# LAVA is told each result, too.  `tests.sh --test N` becomes test N.
here=$(CDPATH= cd -- "${0%/*}" && pwd) || exit
root=$here/release

# enter DIRECTORY, which a release may lack since it has no empty ones
enter() {
    mkdir -p "$root/$1" && cd "$root/$1" || exit 125
}
# The DSP arch of the SoC $soc, as far as it is known; see device.env in run.sh.
@ARCH@
@START@
if [ "$1" = --test ]; then
    start "$2"
    exit 125
fi

results=$1
first_line() { read -r line 2>/dev/null <"$1" && printf '%s\n' "$line"; }
now() {
    read -r seconds rest 2>/dev/null </proc/uptime || seconds=$(date +%s)
    echo "$seconds"
}
soc=$(getprop ro.soc.model 2>/dev/null) || soc=$(first_line /sys/devices/soc0/machine)
if [ -z "${BUILDTOOL_DSP_ARCH:-}" ]; then
    BUILDTOOL_DSP_ARCH=$(arch_of "$soc")
    export BUILDTOOL_DSP_ARCH
fi
{
    echo "export @ID@"
    echo "arch $BUILDTOOL_DSP_ARCH"
    echo "soc $soc"
    echo "firmware $(getprop ro.build.fingerprint 2>/dev/null || uname -r)"
    echo "started $(date +%s)"
} >"$results/results.txt"

limit=
command -v timeout >/dev/null && limit='timeout -s KILL'
# run_test NUMBER NAME TIMEOUT PASS FAIL SKIP TEXT: PASS is the result of exit status 0, FAIL that of
# others but SKIP, which is an exit status or "".  TEXT is "", or output of a test that was skipped.
run_test() {
    log=$results/$1.log
    begin=$(now)
    # In a subshell, so that what this shell says about signals is not in the log.
    (exec $limit ${limit:+"$3"} sh "$0" --test "$1" </dev/null >"$log" 2>&1)
    status=$?
    end=$(now)
    unit=status word=$status
    case $status in 124 | 137 | 143)
        # These are the statuses of `timeout` of coreutils, busybox and toybox.
        [ "$((${end%.*} - ${begin%.*}))" -lt "$3" ] || unit=timeout word=timeout
        ;;
    esac
    echo "test $1 $word $begin $end" >>"$results/results.txt"
    if [ "$(wc -c <"$log")" -gt 1048576 ]; then
        tail -c 1048576 "$log" >"$log.end"
        mv "$log.end" "$log"
    fi
    case $word in
        timeout) result=fail ;;
        "$6") result=skip ;;
        0) result=$4 ;;
        *) result=$5 ;;
    esac
    if [ -n "$7" ] && [ "$unit" = status ] && [ "$status" -lt 128 ] && grep -qF "$7" "$log"; then
        result=skip
    fi
    echo "$result: $2"
    if [ "$result" = fail ]; then
        tail -c 65536 "$log" | sed 's/<LAVA/< LAVA/g' # no signal of LAVA
        echo
    fi
    if command -v lava-test-case >/dev/null; then
        lava-test-case "$2" --result "$result" --measurement "$status" --units "$unit"
    fi
}

@TESTS@
echo end >>"$results/results.txt"
