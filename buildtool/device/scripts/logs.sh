# Print the logs of this device around a run, in parts; parts.sh comes before.  Set before:
#   log        directory of the run's logs      log_limit  bytes of a log that are printed
#   seconds    how long ago the run began       program    name of the program that ran
part log-boot
head -c 100 /proc/sys/kernel/random/boot_id
part log-uptime
head -c 100 /proc/uptime
part log-dsp
tail -c "$log_limit" "$log/dsp.log" 2>/dev/null
if command -v logcat >/dev/null; then
    part log-logcat
    since=$(date -d "@$(($(date +%s) - seconds))" '+%m-%d %H:%M:%S.000' 2>/dev/null)
    logcat -d -v threadtime -t "${since:-2000}" 2>&1 | tail -c "$log_limit"
elif [ -n "$program" ] && [ "$system" = / ] && command -v journalctl >/dev/null; then
    # What libcdsprpc logs, where it logs to the system; users may read what they logged.
    part log-journal
    journalctl -q --no-pager --since "-${seconds}s" 2>/dev/null | grep -F -- " $program[" |
        tail -c "$log_limit"
fi
cd "$system" || exit
part log-kernel
kernel_messages | tail -c "$log_limit"
