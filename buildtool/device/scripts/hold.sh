# Hold the lock of the device, after a line says so with the boot, until standard input ends.  Set
# before, besides what common.sh, lock.sh and device_lock.sh say:
#   patience     how many seconds to wait for it
waited=0
watcher=
while
    try_device
    result=$?
    [ "$result" = 1 ] && [ "$waited" -lt "$patience" ]
do
    # Who waits may be killed: then nothing waits here.
    [ -n "$watcher" ] || {
        exec 3<&0
        { while read -r line; do :; done && kill $$; } <&3 3<&- &
        watcher=$!
        exec 3<&-
    }
    sleep 1
    waited=$((waited + 1))
done
[ -z "$watcher" ] || kill -KILL "$watcher"
[ "$result" = 0 ] || {
    report_device "$result"
    exit
}
trap 'exit 1' HUP INT TERM PIPE
read_boot
echo "held $boot"
while read -r line; do :; done
release_device
report released
