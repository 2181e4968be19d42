# Report what is in a release.  Set before, besides what common.sh says:
#   project      directory                  id          release
#   follow       -L when files are links into store/, else ""
if cd "$project/releases/$id" 2>/dev/null; then
    report scan "$(scan . "$follow")"
else
    report missing
fi
