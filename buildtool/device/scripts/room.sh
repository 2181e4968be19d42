# Make room on a full disk: remove what interrupted pushes of all projects have left below the install
# root $1.  Returns 1 when there was nothing to remove.
make_room() {
    read_boot
    case $1 in '$HOME'*) set -- "$HOME${1#?????}" ;; esac
    freed=1
    for place in "$1"/*/ "$1/.data/"; do
        (cd "$place" 2>/dev/null && remove_leftovers) && freed=0
    done
    return "$freed"
}

# The same in the working directory `place`: of a project, or of large files.  Nothing is removed while
# a script of a push holds the lock there.  A push between two of its scripts is sent again.
remove_leftovers() {
    holder=$(readlink lock) && ! stale "$holder" && return 1
    case $place in
        */.data/) set -- *.partial ;;
        *) set -- releases/*.partial releases/*.removed incoming ;;
    esac
    found=1
    for left; do
        [ -e "$left" ] && [ ! -L "$left" ] && [ ! -L releases ] || continue
        mv "$left" "$left.removed" && rm -rf "$left.removed" && found=0
    done
    return "$found"
}
