# Make the release current that was deployed before the current one.  Set before, besides what
# common.sh says:
#   project      directory
cd "$project" 2>/dev/null || {
    report missing
    exit
}
newer=
for name in $(ls -t releases); do
    is_release "$name" || continue
    if [ -n "$newer" ]; then
        switch "$name" && report done "$newer" "$name"
        exit
    fi
    [ "releases/$name" -ef current ] && newer=$name
done
report none $(ls releases)
