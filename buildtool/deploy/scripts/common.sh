# Functions of the scripts that run in the directory of a project on a device.  They need a POSIX
# shell and few tools, which coreutils, busybox and toybox have.  Set before:
#   mark       text that begins each report       report_to  descriptor that reports are written to

# Tell buildtool how the script ended: a word, and what belongs to it.  Everything after it on this
# descriptor is part of the report.
report() {
    printf '%s%s\n' "$mark" "$*" >&"$report_to"
}

# When process $1 started, in clock ticks after the boot; "" when there is no such process.
started() {
    start=
    read -r start 2>/dev/null <"/proc/$1/stat" || return 0
    # The name of the program, in parentheses, may contain anything.
    set -- ${start##*) }
    start=${20}
}

# Point `current` to release $1.  A rename replaces the link: it is the old one or the new one.
switch() {
    [ "releases/$1" -ef current ] && return
    ln -s "releases/$1" "current.$$" || return
    # Older versions of toybox know no `mv -T`, but replace links by a rename.
    mv -fT "current.$$" current 2>/dev/null || { rm -f "current.$$" && ln -sfn "releases/$1" current; }
}

# Whether a program of release $1 is running.
in_use() {
    for running in logs/*/running; do
        read -r release pid since 2>/dev/null <"$running" || continue
        [ "$release" = "$1" ] || continue
        started "$pid"
        [ -n "$start" ] && [ "$start" = "$since" ] && return
    done
    return 1
}
