# Send standard input to a program that is being started: print a line when it is there, go on when a
# line comes, and print another line at the end.  Set before:
#   log          directory of its run           mark       text that begins both lines
{
    until [ -p "$log/stdin" ]; do
        kill -0 "$$" 2>/dev/null || exit # the connection has ended
        sleep 0.1
    done
    printf '%sready\n' "$mark"
} &
read -r line || exit
[ ! -p "$log/stdin" ] || cat >"$log/stdin"
# adbd drops what is left of standard output when it cannot pass on the rest of the input.
printf '%sdone\n' "$mark" >&2
