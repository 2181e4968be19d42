# Remove old releases and logs.  Set before:
#   keep         number of releases, the newest ones, that are kept

# A release that is being removed has another name: its own name stands for a whole release.
prune() {
    number=0
    ls -t releases | while read -r name; do
        case $name in
            *.partial) continue ;;
            *.removed) rm -rf "releases/$name" && continue ;;
        esac
        number=$((number + 1))
        [ "$number" -gt "$keep" ] || continue
        [ "releases/$name" -ef current ] || in_use "$name" || {
            mv "releases/$name" "releases/$name.removed" && rm -rf "releases/$name.removed"
        }
    done
    number=0
    ls -t logs | while read -r name; do
        number=$((number + 1))
        [ "$number" -gt 20 ] && [ ! -e "logs/$name/running" ] && rm -rf "logs/$name"
    done
}
