# Locks.  A lock is a link, which is created whole or not at all; its text is the id and the start of
# the process that holds it, the boot, and more words.

# Make the lock $1, whose text ends with $2; `mine` is the whole text then.  Returns 1 when another
# process holds it, whose text is `held` then, and 2 when it cannot be made: `failure` says why, and
# `held` is the text of a stale lock that cannot be removed.
take() {
    read_boot
    started $$
    mine="$$ $start $boot $2"
    tries=0 failure='it is a directory'
    until [ ! -d "$1" ] && failure=$(LC_ALL=C ln -s "$mine" "$1" 2>&1); do
        held=$(readlink "$1") || {
            # Released in between; or it cannot be made.
            tries=$((tries + 1))
            [ "$tries" -lt 100 ] || return 2
            continue
        }
        stale "$held" || return 1
        # Of the processes that find it stale, the one that makes the guard removes it: another one
        # could remove the lock that replaces it.
        if [ ! -d "$1.guard" ] && failure=$(ln -s "$mine" "$1.guard" 2>&1); then
            failure=$([ "$(readlink "$1")" != "$held" ] || rm -f "$1" 2>&1)
            removed=$?
            rm -f "$1.guard"
            [ "$removed" = 0 ] || return 2
            continue
        fi
        guard=$(readlink "$1.guard") && stale "$guard" && rm -f "$1.guard"
        tries=$((tries + 1))
        [ "$tries" -lt 100 ] || return 2
        sleep 0.1
    done
}

# The same, after making room below the install root $3 if the disk is full.
take_with_room() {
    take "$1" "$2"
    taken=$?
    case $taken$failure in
        2*'No space left'*)
            make_room "$3" || return 2
            take "$1" "$2"
            ;;
        *) return "$taken" ;;
    esac
}

read_boot() {
    boot=
    read -r boot 2>/dev/null </proc/sys/kernel/random/boot_id
    boot=${boot:--} # a word of the lock's text
}

# Whether the process that the lock's text $1 names has ended.
stale() {
    set -f
    set -- $1
    set +f
    [ "${3:-}" = "$boot" ] || return 0
    holder=$2
    started "$1"
    [ "$start" != "$holder" ] || return 1
    # /proc can hide the processes of other users: hidepid in proc(5).
    [ -z "$start" ] && [ ! -r /proc/1/stat ] || return 0
    case $(LC_ALL=C && kill -0 "$1" 2>&1) in
        *'No such process'*) ;;
        *) return 1 ;;
    esac
}

# Let the shell run $1 when it ends, before what it is to run already.
exits=
at_exit() {
    exits="$1; $exits"
    trap "$exits" EXIT
}

# One pusher at a time to the project in the working directory.  Set before:
#   owner        who pushes, for messages
lock() {
    take_with_room lock "$owner" "${PWD%/*}" || {
        case $? in
            1) report locked "$held" ;;
            *) report failed "$PWD/lock cannot be made: $failure${held:+, left by ${held#* * * }}" ;;
        esac
        exit
    }
    locked=1
    at_exit unlock
    trap 'exit 1' HUP INT TERM PIPE
}

# Release the lock; signals end the shell as usual then.
locked=
unlock() {
    [ -z "$locked" ] || rm -f lock
    locked=
    trap - HUP INT TERM PIPE
}
