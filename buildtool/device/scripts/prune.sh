# Remove old releases and logs: `push` has checked what is there.  Set before:
#   keep         number of releases, the newest ones, that are kept
#   logs         number of logs of runs that are kept

# A release that is being removed has another name: its own name stands for a whole release.
prune() {
    rm -rf releases/*.removed
    number=0
    for name in $(newest_first); do
        number=$((number + 1))
        [ "$number" -gt "$keep" ] || continue
        [ "releases/$name" -ef current ] || in_use "$name" || {
            mv "releases/$name" "releases/$name.removed"
            # A program may have been started in between, which would have found the release.
            ! in_use "$name" || { mv "releases/$name.removed" "releases/$name" && continue; }
            rm -rf "releases/$name.removed" "verified/$name"
            : >unused # part of the store
        }
    done
    [ ! -e unused ] || {
        [ ! -d store ] || prune_store
        [ ! -d ../.data ] || prune_data
        rm -f unused
    }
    for running in logs/*.running; do # of a script that was killed
        read -r release pid since 2>/dev/null <"$running" || continue
        started "$pid"
        [ "$start" = "$since" ] || rm -f "$running" "${running%.running}.group"
    done
    for calls in logs/*.calls; do # which nobody has read
        [ -e "${calls%.calls}.running" ] || rm -f "$calls"
    done
    set -- logs/*
    [ $# -gt "$logs" ] || return 0
    number=0
    # Their names begin with the time on the machine of the user.
    ls -r logs | while read -r name; do
        number=$((number + 1))
        [ "$number" -gt "$logs" ] && [ -d "logs/$name" ] && [ ! -L "logs/$name" ] &&
            [ ! -e "logs/$name.running" ] && rm -rf "logs/$name"
    done
}

# Print the last names of what the links in directories lead to.
linked() {
    if readlink current current >/dev/null 2>&1; then
        find "$@" -type l -exec readlink {} +
    else # the readlink of busybox takes one link
        find "$@" -type l -exec readlink {} \;
    fi | sed 's#.*/##'
}

# Write the same to file $1, for the directories after it.  Returns 1 when the disk is too full: what
# a shortened list lacks would be removed.
list_linked() {
    list=$1
    shift
    { linked "$@" && echo end; } 2>/dev/null >"$list"
    [ "$(tail -n 1 "$list")" = end ]
}

# Remove the large files to which no release of any project has a link.  Those that were looked for
# today stay: a push may be about to link to them.
prune_data() {
    list_linked data.used ../*/releases/ &&
        find ../.data -type f -mtime +0 | while read -r name; do
            file=${name##*/}
            grep -qxF "${file%.partial}" data.used || rm -f "$name"
        done
    rm -f data.used
}

# Remove the files of the store to which no release has a link.
prune_store() {
    list_linked store.used releases &&
        ls store | grep -vxFf store.used | while read -r name; do rm -f "store/$name"; done
    rm -f store.used
}
