# Large files, to which releases have links.  Set before, besides what common.sh and lock.sh say:
#   data     directory of the files, each named by its digest; DIGEST.partial has arrived in part
#   action   have: report the arguments, digests, that are there, and the sizes of parts of others
#            check: the same, after computing the digests of the files
#            add: append standard input to a part
#            chunks: report the digests of the chunks of a part
#            patch: replace a chunk of a part by standard input
#   digest   of the file         size       of the file, in bytes
#   have     bytes of the part that are there, as buildtool knows
#   chunk    number of the chunk that is replaced; its size is 16 MiB
#   chunks   number of chunks
# Sizes are compared as texts: the numbers of Android's shell have 32 bits.
umask 022
has -d "$data" || mkdir -p "$data"
cd "$data" || {
    report failed "$data cannot be created"
    exit
}
part=$digest.partial
for name in "$digest" "$@"; do
    has -f "$name"
    has -f "$name.partial"
done

size_of() {
    stat -c %s "$1" 2>/dev/null || echo 0
}

is_whole() {
    computed=$(sha256sum <"$1")
    [ "${computed%% *}" = "$2" ]
}

case $action in
    have | check)
        [ "$action" = have ] || lock
        found=
        for name; do
            if [ "$action" = check ] && [ -f "$name" ] && ! is_whole "$name" "$name"; then
                mv -f "$name" "$name.partial" || {
                    report failed "$PWD/$name is damaged and cannot be renamed"
                    exit
                }
            fi
            if [ -f "$name" ]; then
                touch "$name" # it is in use: see prune.sh
                found="$found $name whole"
            else
                found="$found $name $(size_of "$name.partial")"
            fi
        done
        report found "$found"
        ;;
    add)
        lock
        [ "$have" != 0 ] || : >"$part"
        now=$(size_of "$part")
        [ "$now" = "$have" ] || { report short "$now" && exit; }
        failure=$(cat 2>&1 >>"$part")
        now=$(size_of "$part")
        if [ "$now" != "$size" ]; then
            [ -z "$failure" ] || ! make_room "${data%/*}" || failure=
            if [ -n "$failure" ]; then report failed "$failure"; else report short "$now"; fi
        elif is_whole "$part" "$digest"; then
            sync -f . 2>/dev/null || sync
            if mv -f "$part" "$digest"; then report done; else
                report failed "$PWD/$part cannot be renamed"
            fi
        else
            report differs
        fi
        ;;
    chunks)
        exec 3<"$part"
        report chunks "$(
            number=0
            while [ "$number" -lt "$chunks" ]; do
                dd bs=1048576 count=16 <&3 2>/dev/null | sha256sum
                number=$((number + 1))
            done
        )"
        ;;
    patch)
        lock
        # A pipe is read in short pieces, which only different sizes of blocks join.
        failure=$(dd ibs=65536 obs=1048576 seek="$((chunk * 16))" conv=notrunc of="$part" 2>&1) &&
            report done || report failed "$failure"
        ;;
esac
