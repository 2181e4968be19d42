# Report who holds the lock of the device: `in-use`, `free`, `strange` when it is not a link, or
# `unlockable` when it cannot be used or removed.  Set before, besides what common.sh, lock.sh and
# device_lock.sh say:
#   remove       1: remove the lock
access=
word=free held=
read_boot
read_uptime
if find_device_lock; then
    if held=$(readlink "$device_lock"); then
        stale "$held" || word=in-use
    elif [ -e "$device_lock" ]; then
        word=strange
    fi
    [ -z "$remove" ] || failure=$(rm -rf "$device_lock" 2>&1) || {
        report_device 2
        exit
    }
elif [ -L "$folder" ] || [ -e "$folder" ]; then
    report_device 2
    exit
fi
report "$word" "$uptime $held"
