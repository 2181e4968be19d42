# Functions of the scripts that run in the directory of a project on a device.  They need a POSIX
# shell and tools that coreutils, busybox and toybox have.  Set before:
#   mark         text that begins and ends what a script writes, and a report
#   report_to    file for the report; "" for standard error
#   framed       1: the mark also ends the standard output

# Tell buildtool how the script ended: a word, and what belongs to it.
report() {
    if [ -n "$report_to" ]; then
        printf '%s\n' "$*" >"$report_to"
    else
        printf '%s%s\n%s' "$mark" "$*" "$mark" >&2
    fi
    [ -z "$framed" ] || {
        trap '' PIPE # nobody may read it any more
        printf %s "$mark" 2>/dev/null || :
    }
}

# Go on only in the boot $1, or in any if it is "".
same_boot() {
    booted=
    read -r booted 2>/dev/null </proc/sys/kernel/random/boot_id
    [ -z "$1" ] || [ "$1" = "$booted" ] || {
        report rebooted "$booted"
        exit
    }
}

# Whether $2 is there, as the kind of thing that the test $1 finds: -d or -f.  Anything else in its
# place, links included, is not buildtool's: then the script ends.
has() {
    [ ! -L "$2" ] && [ "$1" "$2" ] && return
    [ -L "$2" ] || [ -e "$2" ] || return
    case $2 in /*) report foreign "$2" ;; *) report foreign "$PWD/$2" ;; esac
    exit
}

# Set `start` to the time when process $1 started, in clock ticks after the boot; "" when it has ended.
started() {
    start=
    read -r start 2>/dev/null <"/proc/$1/stat" || return 0
    # The second field is the program's name in parentheses, which may contain anything.
    set -- ${start##*) }
    case $1 in
        Z | X) start= ;; # nobody has asked for its status yet
        *) start=${20} ;;
    esac
}

# Point `current` to release $1: the rename replaces one link by another.
switch() {
    [ -L current ] || [ ! -e current ] || return # in a directory, `ln` would make the link inside
    rm -f "current.$$"
    ln -s "releases/$1" "current.$$" || return
    # Old versions of toybox have no `mv -T`, but replace links by a rename.
    mv -fT "current.$$" current 2>/dev/null || { rm -f "current.$$" && ln -sfn "releases/$1" current; }
}

# The same for a release that becomes the newest one of `history`.
set_current() {
    [ "releases/$1" -ef current ] || {
        has -f history
        failure="$PWD/history cannot be written; the disk may be full"
        write_history "$1" 2>/dev/null && failure= && switch "$1"
    }
}

# Print the ids of the releases, the one that was deployed last first.  `history` has their order: the
# clock of a device can go back.  An older buildtool does not write it: of its releases the current
# one comes first, and without a history, times are the order.
newest_first() {
    seen=' '
    known=
    [ ! -f history ] || {
        last=$(readlink current)
        known=$(grep -qxF "${last##*/}" history || echo "${last##*/}" && cat history)
    }
    for name in $known $(ls -t releases); do
        case $seen in *" $name "*) continue ;; esac
        seen="$seen$name "
        ! is_release "$name" || echo "$name"
    done
}

# Make release $1 the first one of `history`.
write_history() {
    rm -f "history.$$"
    # One write: of several, a later one can succeed on a full disk.
    printf '%s\n' "$1" $(newest_first | grep -vxF "$1") >"history.$$" &&
        mv -f "history.$$" history && return
    rm -f "history.$$"
    return 1
}

# Whether `releases/$1` is a whole release, and not something that a user has put there.
is_release() {
    case $1 in '' | *[!0-9a-f]*) return 1 ;; esac
    [ -d "releases/$1" ] && [ ! -L "releases/$1" ]
}

# Whether a program of release $1 is running.
in_use() {
    for running in logs/*.running; do
        read -r release pid since 2>/dev/null <"$running" || continue
        [ "$release" = "$1" ] || continue
        started "$pid"
        [ -n "$start" ] && [ "$start" = "$since" ] && return
    done
    return 1
}
