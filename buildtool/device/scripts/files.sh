# Print what is at paths of the device, in parts: a line FENCE and the kind of the part, then raw
# text.  Set before: fence; what: entries, names or read; limit: bytes of a file that are printed.
# The arguments are absolute paths.

# An emulated ARM64 system, in place of the one that runs this shell.
system=${QEMU_LD_PREFIX:-}

part() {
    printf '\n%s %s\n' "$fence" "$1"
}

entry() {
    if [ -L "$1" ]; then
        part link
        readlink "$1"
    elif [ -d "$1" ]; then
        part directory
    elif [ -f "$1" ]; then
        part file
    elif [ -e "$1" ]; then
        part other
    else
        part nothing
    fi
}

case $what in
    entries)
        for path in "$@"; do entry "$system$path"; done
        ;;
    names)
        folder=$system$1
        [ -r "$folder" ] && [ -x "$folder" ] || exit 1
        for path in "$folder"/* "$folder"/.[!.]* "$folder"/..?*; do
            if [ -e "$path" ] || [ -L "$path" ]; then
                part name
                printf %s "${path##*/}"
                entry "$path"
            fi
        done
        ;;
    read)
        for path in "$@"; do
            path=$system$path
            if [ ! -f "$path" ] || [ -L "$path" ] || [ ! -r "$path" ]; then
                part unreadable
            else
                part content
                head -c "$limit" "$path" || part unreadable
            fi
        done
        ;;
esac
part end
