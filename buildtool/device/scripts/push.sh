# `push` makes a release from what is on the device and a stream, and makes it current; it sets
# `pushed` to "there" if nothing had to be done, to "done" otherwise.  When it cannot, it reports why
# and exits.  Set before, besides what common.sh, lock.sh and prune.sh say:
#   project      directory                  id          release
#   begin        what buildtool takes for granted, see below
#   base         release that is taken over; "" for none
#   unpack       program that decompresses the tar archive on standard input; "" for none, and "-"
#                when there is no archive
#   bytes        size of the archive, after which standard input goes on; "" if it ends there
#   more         1: there are more arguments than a command line takes, and others follow
#   expected     digest of what `scan` prints of the release
#   quick        the same without the digests of the files that are taken over; "" for none
#   repair       1: the release is there, damaged
#   store        1: files are links into store/, where they lie under the names MODE-DIGEST
#   flush        1: write everything to the disk before the release is made current
#   arch         DSP arch of this device; "" without a DSP
# The arguments of `push` are removed from what is taken over.
not_current() {
    report failed "${failure:-$PWD/current cannot be replaced by a link: $(ls -ld current 2>&1)}"
    exit
}
# Take over release $1, whose files are not written again: links to them are enough.
take_over() {
    [ -n "$store" ] || ! cp -RPl "releases/$1" "$partial" 2>/dev/null || return 0
    rm -rf "$partial"
    cp -RPp "releases/$1" "$partial"
}

# Print what changes when a file in directory $1 is written or the device is booted: the boot, and a
# digest of inodes, sizes and times, which are only compared with themselves: clocks can go back.
stamp() {
    stat -c %i "$1" >/dev/null 2>&1 || return
    stamps=$(find "$1" -type f -exec stat -c '%n %i %s %y' {} + | sha256sum)
    echo "$boot ${stamps%% *}"
}

# Remove the links that a program has made to directories elsewhere: what is removed or unpacked
# below them would be there.
stay_inside() {
    find "$partial" -type l -exec sh -c '
        for link; do
            [ ! -d "$link" ] || case $(cd -P "$link" && pwd)/ in "$0"/*) ;; *) rm -f "$link" ;; esac
        done' "$(cd -P "$partial" && pwd)" {} +
}

# Whether the files in directory $2 are those whose digests were computed for verified/$1.
unchanged() {
    computed=
    read -r computed 2>/dev/null <"verified/$1"
    [ -n "$computed" ] && [ "$computed" = "$(stamp "$2")" ]
}

# Remove from the store what is damaged: the links to it show that it is missing.
check_store() {
    unchanged store store || remove_damaged store
}

# Remove the files in directory $1 whose content is not what their names say.
remove_damaged() {
    find "$1" -type f -exec sha256sum {} + | while read -r digest name; do
        case $name in *-"$digest") ;; *) rm -f "$name" ;; esac
    done
}

# Move what has arrived for the store into it, if it is whole.
admit() {
    [ -d incoming ] || return 0
    mkdir -p store
    remove_damaged incoming
    find incoming -type f -exec sh -c 'mv -f "$@" store' sh {} +
    rm -rf incoming
}

# End the script when something else is in the place of what is read, renamed or removed from here on.
check_kinds() {
    for path in store incoming releases/*.partial releases/*.removed; do has -d "$path"; done
    for path in history device.env unused data.used store.used verified/* store/* logs/*.running; do
        has -f "$path"
    done
}

# Report what there is when it is not what buildtool takes for granted.
report_found() {
    if [ ! -d "$partial" ]; then
        newest=$(newest_first | head -n 1)
        if [ -n "$newest" ]; then take_over "$newest"; else mkdir "$partial"; fi
    fi
    report found "$(scan "$partial" "")"
    exit
}

# Whether the scan $1 has the digest $2.
is() {
    digest=$(printf '%s\n' "$1" | sha256sum)
    [ "${digest%% *}" = "$2" ]
}
# Replace the files of the release that is there, one by one: it is damaged, or another push has just
# made it.
replace_files() {
    cd "$partial" || return
    find . -type d -exec sh -c '
        for folder; do
            [ -d "$0/$folder" ] && [ ! -L "$0/$folder" ] || rm -rf "$0/$folder"
            mkdir -p "$0/$folder"
        done' "../$id" {} +
    find . ! -type d -exec sh -c '
        for file; do
            [ ! -d "$0/$file" ] || rm -rf "$0/$file" # as it is, or a link to a directory
            [ ! -L "$file" ] || rm -f "$0/$file"
            if [ "$file" -ef "$0/$file" ] && [ ! -L "$0/$file" ]; then
                rm -f "$file" # mv does not move it
            else
                mv -f "$file" "$0/$file"
            fi
        done' "../$id" {} +
}

unpack_archive() {
    if [ -n "$unpack" ]; then "$unpack" -dc | tar -xf -; else tar -xf -; fi
}

push() {
    umask 022
    [ -d "$project" ] || mkdir -p "$project"
    cd "$project" || {
        report failed "$project cannot be created"
        exit
    }
    for folder in releases logs verified; do has -d "$folder" || mkdir "$folder"; done
    if has -d "releases/$id" && [ -z "$repair" ]; then
        set_current "$id" || not_current
        pushed=there
        return
    fi
    lock
    check_kinds
    partial=releases/$id.partial
    left=
    for other in releases/*.partial; do
        [ -d "$other" ] || continue
        if [ -z "$left" ]; then
            left=$other
            [ "$other" = "$partial" ] || mv "$other" "$partial"
        else
            rm -rf "$other"
        fi
    done

    admit
    [ -z "$store" ] || check_store
    case $begin in
        new) # there is no part of a release
            [ -z "$left" ] || report_found
            if [ -z "$base" ]; then
                mkdir "$partial"
            else
                has -d "releases/$base" || report_found
                take_over "$base"
            fi
            ;;
        continue) # buildtool knows what a part of a release contains
            [ -n "$left" ] || report_found
            ;;
        fresh) # what there is does not become what it should be
            rm -rf "$partial"
            mkdir "$partial"
            ;;
        *) report_found ;;
    esac

    stay_inside
    failure=
    [ $# -eq 0 ] || (cd "$partial" && rm -rf -- "$@")
    [ -z "$more" ] || { report more && exit; }
    if [ "$unpack" != - ]; then
        failure=$(
            exec 2>&1
            export LC_ALL=C
            if [ -n "$bytes" ]; then head -c "$bytes" | unpack_archive; else unpack_archive; fi
            admit
        )
    fi

    if [ -z "$quick" ] || ! unchanged "$base" "releases/$base" ||
        ! is "$(scan "$partial" "" 1)" "$quick"; then
        contents=$(scan "$partial" "")
        if ! is "$contents" "$expected"; then
            # With more room, the rest is sent.
            case $failure in *'No space left'*) ! make_room "${project%/*}" || failure= ;; esac
            [ -z "$failure" ] || report failed "$failure"
            [ -n "$failure" ] || report differs "$contents"
            exit
        fi
    fi
    env=
    read -r env 2>/dev/null <device.env
    [ -z "$arch" ] || [ "$env" = "BUILDTOOL_DSP_ARCH=$arch" ] || {
        rm -f "device.env.$$"
        echo "BUILDTOOL_DSP_ARCH=$arch" 2>/dev/null >"device.env.$$" &&
            mv -f "device.env.$$" device.env || {
            rm -f "device.env.$$"
            report failed "$PWD/device.env cannot be written; the disk may be full"
            exit
        }
    }
    # Old tools have no -f, which leaves other file systems alone.
    [ -z "$flush" ] || sync -f . 2>/dev/null || sync
    if [ -d "releases/$id" ]; then
        (replace_files)
        rest=$(find "$partial" ! -type d) && [ -z "$rest" ] && rm -rf "$partial"
    else
        mv "$partial" "releases/$id"
    fi || {
        report failed "$PWD/releases/$id cannot be written"
        exit
    }
    stamp "releases/$id" >"verified/$id"
    set_current "$id" || not_current
    prune
    [ -z "$store" ] || stamp store >verified/store
    pushed=done
}
