# Start a program of a release, and report its exit status.  Set before, besides what common.sh says:
#   project      directory                  id          release
#   run          name of the run, a directory in logs/
#   boot         boot in which the facts about this device were read; "" for any
#   lifeline     file from which a line is read for each signal that the program gets, and at whose
#                end the program is killed; "-" for standard input; "" for none: then the program
#                stays in the session of this shell, which has a terminal
#   input        the program's standard input: "fifo" for logs/RUN/stdin, "null", or "inherit"
#   cwd          working directory, relative to the release; "" for the release
#   farf         what `PROGRAM.farf` says: the levels of DSP messages that are logged; "" for none
#   times        whether messages of the DSP have times of the epoch; "" if not
#   name         name of the program
#   access       as in device_lock.sh; "" without it
# The arguments are the command that starts the program.
same_boot "$boot"
[ -z "$lifeline" ] || command -v setsid >/dev/null || {
    report failed 'setsid of util-linux, busybox or toybox is missing'
    exit
}
[ -z "$access" ] || use_device
cd "$project" 2>/dev/null || {
    report missing
    exit
}
for folder in releases "releases/$id" logs; do has -d "$folder"; done
log=$PWD/logs/$run
started $$

# What is written down of this run: its release, this shell, and a place for the program's group.
begin_log() {
    [ -d logs ] || mkdir -p logs 2>/dev/null
    { echo "$id $$ $start" >"$log.running" && echo >"$log.group"; } 2>/dev/null
}
end_log() {
    rm -f "$log.running" "$log.group" "$log/stdin" "$log/dsp"
    [ ! -d "$log" ] || rmdir "$log" 2>/dev/null
}
end_with() {
    end_log
    report "$@"
    exit
}
missing() {
    end_with missing "$(readlink current)" releases/*.partial
}
[ -d "releases/$id" ] || missing
begin_log || { make_room "${project%/*}" && begin_log; } ||
    end_with failed "$log.running cannot be written; the disk may be full"
[ -d "releases/$id" ] && set_current "$id" || missing

if [ -n "$cwd" ]; then
    case $cwd in /*) ;; *) cwd=$PWD/releases/$id/$cwd ;; esac
    [ -d "$cwd" ] && [ -x "$cwd" ] || end_with directory "$cwd"
fi

# Shells print a line about a program that a signal ended.  Only the program may write to standard
# error, so the shell that waits for it has none.  The shell that becomes the program writes down its
# id, which with a session of its own is that of its group.
program() (
    [ -n "$lifeline" ] || trap : INT # is for the program; a subshell does not take over traps
    exec 7>&2 2>/dev/null
    [ -z "$cwd" ] || cd "$cwd" || exit
    ${lifeline:+setsid} sh -c 'echo $$ 1<>"$0" && exec "$@" <&5 2>&7 5<&- 7>&-' "$log.group" "$@"
    exit "$?"
)
# Set `group` to the program's group; returns 1 when it was not started.
read_group() {
    group=
    read -r group 2>/dev/null <"$log.group"
    [ -n "$group" ]
}
kill_group() {
    try=0
    while [ "$try" -lt 600 ]; do # it may be about to start; when it has ended, so does this process
        read_group && kill "-$1" "-$group" 2>/dev/null && return
        sleep 0.1
        # If the shell that starts it was killed, then little can be on the way.
        kill -0 $$ 2>/dev/null && try=$((try + 1)) || try=$((try + 12))
    done
}
# Descriptor 5 is what the program reads.  4 keeps a fifo open, so that it has a writer from the
# start, until a line says that the input has ended.
case $input in
    fifo) mkdir "$log" && mkfifo "$log/stdin" && exec 4<>"$log/stdin" 5<"$log/stdin" ;;
    null) exec 4</dev/null 5</dev/null ;;
    inherit) exec 4</dev/null 5<&0 ;;
esac || end_with failed "$log/stdin cannot be made; the disk may be full"

# What the DSP logs arrives in the log of the system: in logcat on Android, in the journal on Linux,
# under the name of the program, and, for crashes, of the DSP's daemon.
follow_log() {
    if command -v logcat >/dev/null; then
        since=$(date '+%m-%d %H:%M:%S.%N')
        case $since in
            *.*[!0-9]*) since=${since%.*}.000 ;; # this date knows no %N
            *) since=${since%??????} ;;
        esac
        [ -n "$times" ] && set -- -v time -v epoch -s adsprpc "$1" || set -- -v brief -s adsprpc "$1"
        exec logcat -T "$since" "$@"
    else
        [ -n "$times" ] && set -- short-unix "$1" || set -- cat "$1"
        exec journalctl -q -f -n 0 -o "$1" -t cdsprpcd -t "$2"
    fi
}
follower=
if [ -n "$farf" ]; then
    mkdir -p "$log"
    echo "$farf" >"$log/$name.farf"
    echo "$id" >"$log/release"
    if command -v logcat >/dev/null || command -v journalctl >/dev/null; then
        mkfifo "$log/dsp"
        tee "$log/dsp.log" <"$log/dsp" >&2 4<&- 5<&- &
        shown=$!
        follow_log "$name" >"$log/dsp" 2>&1 4<&- 5<&- &
        follower=$!
    fi
fi

watcher=
if [ -n "$lifeline" ]; then
    case $lifeline in -) exec 3<&0 ;; *) exec 3<"$lifeline" ;; esac
    # What ends this shell must not end the watcher: then the program would go on.  It may get its
    # first turn only after the program has begun, so it is born with these.
    trap '' HUP INT TERM
    {
        exec 5<&-
        while read -r word; do
            case $word in
                EOF) exec 4<&- ;;
                *) kill_group "$word" ;;
            esac
        done
        kill_group KILL
    } <&3 >/dev/null 2>&1 &
    watcher=$!
    trap - HUP INT TERM
    exec 3<&-
else
    trap : INT
fi
exec 4<&-
program "$@"
status=$?
if [ -n "$lifeline" ]; then
    kill -KILL "$watcher" 2>/dev/null
    read_group && kill -KILL "-$group" 2>/dev/null
fi
[ -z "$follower" ] || {
    sleep 0.3 # the last lines may be on their way
    kill -KILL "$follower" 2>/dev/null
    wait "$shown"
}
[ -z "$access" ] || release_device
# The status is that of the program only if there was one; whoever removes the log knows why.
read_group || [ ! -e "$log.running" ] ||
    end_with failed "no process has begun, or $log.group cannot be written; the disk may be full"
end_with exit "$status"
