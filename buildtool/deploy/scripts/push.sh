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
    report failed "$PWD/current cannot be replaced by a link: $(ls -ld current 2>&1)"
    exit
}
# Take over release $1, whose files are not written again: links to them are enough.
take_over() {
    [ -n "$store" ] || ! cp -RPl "releases/$1" "$partial" 2>/dev/null || return 0
    rm -rf "$partial"
    cp -RPp "releases/$1" "$partial"
}

# Whether the files of release $1 are those whose digests were computed, judged by their times.  The
# clock may go back when the device is booted: then they are computed again.
unchanged() {
    computed=
    read -r computed 2>/dev/null <"verified/$1"
    [ "$computed" = "$boot" ] && [ -z "$(find "releases/$1" -type f -newer "verified/$1")" ]
}

# Move what has arrived for the store into it, if it is whole.
admit() {
    [ -d incoming ] || return 0
    mkdir -p store
    (
        cd incoming || exit
        find . -type f -exec sha256sum {} + | while read -r digest name; do
            case $name in *-"$digest") ;; *) rm -f "$name" ;; esac
        done
        find . -type f -exec sh -c 'mv -f "$@" ../store' sh {} +
    )
    rm -rf incoming
}

# Report what there is when it is not what buildtool takes for granted.
found() {
    if [ ! -d "$partial" ]; then
        newest=$(ls -t releases | while read -r name; do
            is_release "$name" && echo "$name" && break
        done)
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
# The release may be there, damaged: then its files are replaced one by one.
repair() {
    cd "$partial" || return
    find . -type d -exec sh -c '
        for folder; do
            [ -d "$0/$folder" ] && [ ! -L "$0/$folder" ] || rm -rf "$0/$folder"
            mkdir -p "$0/$folder"
        done' "../$id" {} +
    find . ! -type d -exec sh -c '
        for file; do
            [ ! -d "$0/$file" ] || rm -rf "$0/$file" # as it is, or a link to a directory
            mv -f "$file" "$0/$file"
        done' "../$id" {} +
}

unpack() {
    if [ -n "$unpack" ]; then "$unpack" -dc | tar -xf -; else tar -xf -; fi
}

push() {
    umask 022
    for folder in releases logs verified; do
        [ -d "$project/$folder" ] || mkdir -p "$project/$folder"
    done
    cd "$project" || {
        report failed "$project cannot be created"
        exit
    }
    if [ -z "$repair" ] && [ -d "releases/$id" ]; then
        deploy "$id" || not_current
        pushed=there
        return
    fi
    lock
    partial=releases/$id.partial
    left=
    for other in releases/*.partial; do
        [ -d "$other" ] || {
            rm -f "$other"
            continue
        }
        if [ -z "$left" ]; then
            left=$other
            [ "$other" = "$partial" ] || mv "$other" "$partial"
        else
            rm -rf "$other"
        fi
    done

    admit
    case $begin in
        new) # there is no part of a release
            [ -z "$left" ] || found
            if [ -z "$base" ]; then
                mkdir "$partial"
            else
                [ -d "releases/$base" ] || found
                take_over "$base"
            fi
            ;;
        continue) # buildtool knows what a part of a release contains
            [ -n "$left" ] || found
            ;;
        fresh) # what there is does not become what it should be
            rm -rf "$partial"
            mkdir "$partial"
            ;;
        *) found ;;
    esac

    failure=
    [ $# -eq 0 ] || (cd "$partial" && rm -rf -- "$@")
    [ -z "$more" ] || { report more && exit; }
    if [ "$unpack" != - ]; then
        failure=$(
            exec 2>&1
            export LC_ALL=C
            if [ -n "$bytes" ]; then head -c "$bytes" | unpack; else unpack; fi
            admit
        )
    fi

    if [ -z "$quick" ] || ! is "$(scan "$partial" "" 1)" "$quick"; then
        found=$(scan "$partial" "")
        if ! is "$found" "$expected"; then
            # With more room, the rest is sent.
            case $failure in *'No space left'*) ! make_room "${project%/*}" || failure= ;; esac
            [ -z "$failure" ] || report failed "$failure"
            [ -n "$failure" ] || report differs "$found"
            exit
        fi
    fi
    # Old tools have no -f, which leaves other file systems alone.
    [ -z "$flush" ] || sync -f . 2>/dev/null || sync
    if [ -d "releases/$id" ]; then
        (repair)
        rm -rf "$partial"
    else
        rm -f "releases/$id" # it is no directory
        mv "$partial" "releases/$id"
    fi
    echo "$boot" >"verified/$id"
    env=
    read -r env 2>/dev/null <device.env
    [ -z "$arch" ] || [ "$env" = "BUILDTOOL_DSP_ARCH=$arch" ] || {
        echo "BUILDTOOL_DSP_ARCH=$arch" >"device.env.$$"
        mv -f "device.env.$$" device.env
    }
    deploy "$id" || not_current
    prune
    pushed=done
}
