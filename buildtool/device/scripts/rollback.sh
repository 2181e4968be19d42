# Make the release current that was deployed before the current one.  Set before, besides what
# common.sh says:
#   project      directory
cd "$project" 2>/dev/null || {
    report missing
    exit
}
newer=
has -d releases
has -f history
for name in $(newest_first); do
    if [ -n "$newer" ]; then
        if switch "$name"; then report done "$newer" "$name"; else
            report failed "$PWD/current cannot be replaced by a link: $(ls -ld current 2>&1)"
        fi
        exit
    fi
    [ "releases/$name" -ef current ] && newer=$name
done
report none $(ls releases)
