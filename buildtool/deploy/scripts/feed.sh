# Send standard input to a program that is being started, after a line says that it is there.  Set
# before:
#   log          directory of its run
for try in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    [ ! -p "$log/stdin" ] || { echo ready && exec cat >"$log/stdin"; }
    sleep 0.1
done
exit 1
