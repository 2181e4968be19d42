# One pusher at a time.  The lock is a link, which is created whole or not at all; its text is the id
# and the start of the process that holds it, the boot, and who that is.  Set before:
#   owner        who pushes, for messages

lock() {
    read -r boot </proc/sys/kernel/random/boot_id
    started $$
    until ln -s "$$ $start $boot $owner" lock 2>/dev/null; do
        held=$(readlink lock) || {
            # Released in between; or nothing can be created here.
            [ -w . ] || { report failed "$PWD cannot be written" && exit; }
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
