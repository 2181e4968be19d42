# The lock of the device, which all logins and projects share.  Set before, besides what common.sh
# says:
#   access       "alone": nobody else may use the device; "beside": others may; "": it is not used
#   token        a word: who has it may use the device while a lock with this word is held
#   user         who uses the device, and for what
#   root         where releases are installed; may begin with $HOME/
# The text of the lock goes on with the token, the seconds since the boot, and the user.

# Set `device_lock` to the lock, in the first directory that is there or can be made.  Everybody may
# write to it, unlike to a sticky directory: there, nobody could remove the stale lock of another user.
# When this login cannot use it, another directory would give it a lock besides that of others.
find_device_lock() {
    held=
    for folder in /run/lock /data/local/tmp /tmp "$PWD"; do
        [ "$folder" != /run/lock ] || [ -k "$folder" ] || continue # for root only
        folder=$folder/buildtool-lock
        device_lock=$folder/device
        [ -d "$folder" ] || [ -z "$access" ] || mkdir -m 777 "$folder" 2>/dev/null
        [ ! -L "$folder" ] && [ -d "$folder" ] && [ -w "$folder" ] && [ -x "$folder" ] && return
        [ -L "$folder" ] || [ -e "$folder" ] || continue
        failure="not everybody can use its directory: $(ls -ld "$folder" 2>&1)"
        return 2
    done
    failure="$folder cannot be made, nor can directories in /tmp"
    return 2
}

read_uptime() {
    uptime=
    read -r uptime rest 2>/dev/null </proc/uptime
    uptime=${uptime%%.*}
    uptime=${uptime:--}
}

# Take the lock, unless it is held for this command, or this script has it.  Returns 1 and 2 as `take`
# does.
device_mine=
try_device() {
    [ -z "$device_mine" ] || return 0
    read_uptime
    find_device_lock && take_with_room "$device_lock" "$token $uptime $user" "$root"
    taken=$?
    if [ "$taken" = 0 ]; then
        device_mine=$mine
        # Signals that end the shell leave a stale lock: a trap for them would keep the shell, and
        # so the program on its terminal, alive.
        at_exit release_device
    elif [ "$access" != beside ]; then
        [ "$taken" = 1 ] && has_token "$held" || return "$taken"
    fi
}

has_token() {
    set -f
    set -- $1
    set +f
    [ "${4:-}" = "$token" ]
}

# Release the lock if this script has it: `buildtool devices unlock` may have removed it.
release_device() {
    [ -n "$device_mine" ] && [ "$(readlink "$device_lock")" = "$device_mine" ] &&
        rm -f "$device_lock"
    device_mine=
}

# Report why `try_device` returned $1.
report_device() {
    case $1 in
        1) report in-use "$uptime $held" ;;
        *) report unlockable "$device_lock: $failure${held:+, left by ${held#* * * * * }}" ;;
    esac
}

use_device() {
    try_device || {
        report_device $?
        exit
    }
}
