# Run the fastrpc_test that is installed on the device, for at most `seconds`; parts.sh comes before.
# Its arguments are those of this script.  Status 127: there is none.
cd "$system" || exit
for folder in usr/bin usr/local/bin; do
    [ -x "$folder/fastrpc_test" ] || continue
    timeout "$seconds" ${emulator:+"$emulator"} "./$folder/fastrpc_test" "$@" </dev/null
    exit
done
exit 127
