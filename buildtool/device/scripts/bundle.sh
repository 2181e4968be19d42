# Print the logs of this device around a run, in parts; parts.sh comes before.  Set before:
#   log        directory of the run's logs      limit      bytes of a log that are printed
#   seconds    how long ago the run began
part boot
head -c 100 /proc/sys/kernel/random/boot_id
part uptime
head -c 100 /proc/uptime
part dsp
tail -c "$limit" "$log/dsp.log" 2>/dev/null
if command -v logcat >/dev/null; then
    part logcat
    since=$(date -d "@$(($(date +%s) - seconds))" '+%m-%d %H:%M:%S.000' 2>/dev/null)
    logcat -d -v threadtime -t "${since:-2000}" 2>&1 | tail -c "$limit"
fi
cd "$system" || exit
part kernel
kernel_messages | tail -c "$limit"
