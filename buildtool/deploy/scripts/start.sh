# Start a program of a release, and report its exit status.  Set before, besides what common.sh says:
#   project    directory      id       release      run      name of the run
#   boot       id of the boot in which the facts about this device were read; "" for any
#   lifeline   descriptor with a line for each signal that the program gets; at its end it is killed
#   stdin      fifo: the program reads logs/RUN/stdin; null; or inherit
#   session    1: the program gets a session of its own
# The arguments are those of the release's run.sh.
read -r booted </proc/sys/kernel/random/boot_id
if [ -n "$boot" ] && [ "$boot" != "$booted" ]; then
    report rebooted "$booted"
    exit
fi
if ! cd "$project" 2>/dev/null; then
    report missing
    exit
fi
log=$PWD/logs/$run
started $$
mkdir -p "$log" && echo "$id $$ $start" >"$log/running"
if [ ! -d "releases/$id" ] || ! switch "$id"; then
    rm -rf "$log"
    current=$(readlink current)
    report missing "${current#releases/}" releases/*.partial
    exit
fi
program() {
    if [ -z "$session" ]; then
        sh "releases/$id/run.sh" "$@"
    else
        # The shell that becomes the program writes down its id, which is that of its group.
        setsid sh -c 'echo $$ >"$0" && exec sh "$@"' "$log/group" "releases/$id/run.sh" "$@"
    fi
}
kill_group() {
    for wait in 1 2 3 4 5 6 7 8 9 10; do
        read -r group 2>/dev/null <"$log/group" && kill "-$1" "-$group" 2>/dev/null && return
        sleep 0.1
    done
}
case $stdin in
    fifo)
        mkfifo "$log/stdin"
        # Neither this shell nor the program waits until a writer opens it.
        exec 4<>"$log/stdin" 5<"$log/stdin"
        ;;
    null) exec 4</dev/null 5</dev/null ;;
    inherit) exec 4</dev/null 5<&0 ;;
esac
exec 6>&2
if [ -n "$lifeline" ]; then
    eval "exec 3<&$lifeline"
    {
        exec 5<&- # only the program reads it
        while read -r word; do
            case $word in
                EOF) exec 4<&- ;;
                *) kill_group "$word" ;;
            esac
        done
        kill_group KILL
    } <&3 >/dev/null 2>&1 6>&- &
    watcher=$!
    exec 3<&-
fi
exec 4<&-
# Shells print a line about a program that a signal ended: only the program may write here.
exec 2>/dev/null
program "$@" <&5 2>&6 5<&- 6>&-
status=$?
exec 2>&6
if [ -n "$session" ]; then
    read -r group <"$log/group" && kill -KILL "-$group" 2>/dev/null
fi
[ -z "${watcher:-}" ] || kill "$watcher"
rm -f "$log/running" "$log/group" "$log/stdin"
rmdir "$log" 2>/dev/null
report exit "$status"
