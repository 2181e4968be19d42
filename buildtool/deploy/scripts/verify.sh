# Report what is in a release.  Set before, besides what common.sh says:
#   project      directory                  id          release
if cd "$project/releases/$id" 2>/dev/null; then
    report scan "$(scan .)"
else
    report missing
fi
