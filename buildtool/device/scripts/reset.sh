# Remove what programs have added to a release, and report what is in it if that is not known.  Set
# before, besides what common.sh and scan.sh say:
#   project      directory                  id          release
#   before       what this script reported when the files were as they should be; "" for unknown
#   follow       -L when files are links into store/, else ""
# Standard input has the paths of the files, links and directories of the release, one in a line, each
# with "./" before it.
if ! cd "$project" 2>/dev/null || ! has -d "releases/$id"; then
    cat >/dev/null
    report missing
    exit
fi
list=$PWD/reset.$$
cat >"$list"
if in_use "$id"; then
    rm -f "$list"
    report busy
    exit
fi
cd "releases/$id" || exit
export LC_ALL=C # names need not be text
added() {
    find . ! -name . -print | grep -vxFf "$list"
}
# No release has a name with a line break; one could look like two others.
find . -name '*
*' -prune -exec rm -rf {} +
added | while IFS= read -r path; do
    rm -rf "$path" 2>/dev/null || { chmod -R u+rwx "$path" && rm -rf "$path"; }
done
left=$(added | head -n 1)
rm -f "$list"
[ -z "$left" ] || {
    report failed "$PWD/${left#./} cannot be removed"
    exit
}
now=
stat -c %a . >/dev/null 2>&1 &&
    now=$(find . ! -type d -exec stat -L -c '%n %i %s %y %a' {} + 2>&1 | sha256sum)
now=${now%% *}
if [ -n "$now" ] && [ "$now" = "$before" ]; then
    report same
else
    report scan "$now $(scan . "$follow")"
fi
