# Report what is in a release.  Set before, besides what common.sh says:
#   project      directory                  id          release
#   follow       -L when files are links into store/, else ""
if cd "$project" 2>/dev/null && has -d "releases/$id"; then
    cd "releases/$id" || exit
    report scan "$(scan . "$follow")"
else
    report missing
fi
