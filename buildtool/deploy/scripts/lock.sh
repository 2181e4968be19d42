# One pusher at a time.  The lock is a link, which is created whole or not at all; its text is the id
# and the start of the process that holds it, the boot, and who that is.  Set before:
#   owner        who pushes, for messages

lock() {
    boot=
    read -r boot 2>/dev/null </proc/sys/kernel/random/boot_id
    boot=${boot:--} # a word of the lock's text
    started $$
    tries=0 failure='it is a directory'
    until [ ! -d lock ] && failure=$(ln -s "$$ $start $boot $owner" lock 2>&1); do
        held=$(readlink lock) || {
            # Released in between; or it cannot be made.
            tries=$((tries + 1))
            [ "$tries" -lt 100 ] || { report failed "$PWD/lock cannot be made: $failure" && exit; }
            continue
        }
        if stale $held; then
            # Another process may have replaced the stale lock in between: then it is put back.
            mv lock "lock.$$" 2>/dev/null || continue
            [ "$(readlink "lock.$$")" = "$held" ] || ln -s "$(readlink "lock.$$")" lock
            rm -f "lock.$$"
            continue
        fi
        report locked "$held"
        exit
    done
    trap 'rm -f lock' EXIT
    trap 'exit 1' HUP INT TERM PIPE
}

# Whether the process that a lock's text names has ended.
stale() {
    [ "$3" = "$boot" ] || return 0
    holder=$2
    started "$1"
    [ "$start" != "$holder" ]
}
