# What is in a release, for comparison: the digest of each file, and where links lead.  No release
# has files of other modes than 0755 and 0644, or other things than files, links and directories.
#   $1           directory
#   $2           -L to follow links, else nothing
#   $3           1: without the digests of files that have several links, which are in other releases
scan() (
    cd "$1" || exit
    # The order of `find` is not fixed.  Without `sort`, comparing takes one more exchange.
    sorted() { if command -v sort >/dev/null; then LC_ALL=C sort; else cat; fi; }
    for mode in 755 644; do
        echo "$mode"
        if [ -n "${3:-}" ]; then
            find . -type f -perm "$mode" ! -links 1
            find . -type f -perm "$mode" -links 1 -exec sha256sum {} +
        else
            find ${2:-} . -type f -perm "$mode" -exec sha256sum {} +
        fi | sorted
    done
    echo other
    find ${2:-} . ! -type d ! -type l ! '(' -type f '(' -perm 755 -o -perm 644 ')' ')'
    echo links
    links=$(find ${2:-} . -type l)
    [ -z "$links" ] || links=$(printf '%s\n' "$links" | sorted)
    [ -z "$links" ] || printf '%s\n' "$links"
    echo dangling
    [ -z "$links" ] || find -L . -type l | sorted
    echo targets
    set -f
    IFS='
'
    set -- $links
    # The readlink of busybox takes one link.
    [ $# -eq 0 ] || readlink "$@" 2>/dev/null || for link; do readlink "$link"; done
)
