# What is in a release, for comparison: the digest of each file, and where links lead.  Files of
# other modes than 0755 and 0644 are in neither list, so they differ from what they should be.
#   $1           directory
scan() (
    cd "$1" || exit
    # The order of `find` is not fixed.  Without `sort` the text only takes longer to compare.
    sorted() { if command -v sort >/dev/null; then LC_ALL=C sort; else cat; fi; }
    for mode in 755 644; do
        echo "$mode"
        find . -type f -perm "$mode" -exec sha256sum {} + | sorted
    done
    echo links
    find . -type l | sorted | while IFS= read -r link; do
        printf '%s\n%s\n' "$link" "$(readlink "$link")"
    done
)
