# Print more about the DSP, in parts; parts.sh and facts.sh come before.  Set before:
#   images     directories of firmware, relative to the root directory
#   topics     extended regular expression: the messages of the kernel that are printed
#   folders    patterns of directories of skels, relative to the root directory
#   limit, libraries, binaries: as in facts.sh

# The name of the build that a DSP program was made in: fastrpc-healthcheck compares it too.
build_of() {
    case $1 in
        *.zst) zstd -dc <"$1" ;;
        *.xz) xz -dc <"$1" ;;
        *) cat <"$1" ;;
    esac 2>/dev/null | LC_ALL=C tr -c '!-~' '\n' |
        sed -n '/CRMBuilds*\//{s/.*CRMBuilds*\///;s/\/.*//;p;q;}' | head -c 200
}

part groups
id -Gn
part member
id -Gn "$(id -un)" 2>/dev/null

[ ! -r sys/module/firmware_class/parameters/path ] ||
    read -r path <sys/module/firmware_class/parameters/path && images="${path#/} $images"
release=$(uname -r)
for folder in sys/class/remoteproc/*; do
    [ -e "$folder/device" ] && part device "/$folder" && readlink -f "$folder/device"
done
for file in sys/class/remoteproc/*/firmware; do
    [ -f "$file" ] && read -r image <"$file" || continue
    case $image in
        *cdsp*) ;;
        *) continue ;;
    esac
    for folder in $images; do
        for place in "$folder/updates/$release" "$folder/updates" "$folder/$release" "$folder"; do
            # Images can be compressed, or split into parts with other endings.
            for piece in "$place/${image%.*}".*; do
                [ -f "$piece" ] && part firmware "/$piece" && build_of "$piece"
            done
        done
    done
done
set -f
for patterns in $binaries; do
    set +f
    for path in $patterns; do
        [ -f "$path" ] && part build "/$path" && build_of "$path"
    done
done
library= archs=
set -f
for patterns in $libraries; do
    set +f
    for path in $patterns; do
        [ -f "$path" ] && part copy "/$path" && digest_of "$path"
        [ -f "$path" ] && [ -z "$library" ] && library=$path
    done
done
set +f
part arch_folder
# Newer libraries have a directory of skels for each arch; the name is one of their strings.
[ -z "$library" ] || archs=$(LC_ALL=C tr -c '!-~' '\n' <"$library" 2>/dev/null |
    sed -n '/^\/[^;]*\/hexagon/{s/\(\/hexagon\).*/\1/p;q;}')
echo "$archs"
[ -n "$archs" ] || archs=/usr/share/qcom/hexagon
part skels
for folder in $folders "${archs#/}"/v*; do
    for skel in "$folder"/*[sS]kel*.so "$folder"/cdsp/*[sS]kel*.so; do
        [ ! -f "$skel" ] || echo "/$skel"
    done
done | head -n 2000

for base in sys/firmware/devicetree/base proc/device-tree; do
    [ -d "$base" ] || continue
    part tree
    # A line: label, number of context banks, status of the node or of one that contains it.
    find "$base/" -type d -name 'fastrpc*' 2>/dev/null | while read -r node; do
        label=
        [ ! -f "$node/label" ] || label=$(tr -d '\0' <"$node/label")
        status=okay
        up=$node
        while [ "$up" != "$base" ] && [ "$up" != "${up%/*}" ]; do
            [ ! -f "$up/status" ] || case $(tr -d '\0' <"$up/status") in
                ok | okay) ;;
                *) status=disabled ;;
            esac
            up=${up%/*}
        done
        set -- "$node"/compute-cb*
        [ -e "$1" ] || shift
        echo "${label:-unnamed} $# $status"
    done
    break
done

part enforcing
getenforce 2>/dev/null || cat sys/fs/selinux/enforce 2>/dev/null
part kernel
kernel_messages | grep -E "$topics|^unreadable\$" | tail -n 300 | head -c "$limit"
for program in fastrpc-healthcheck dsp_check; do
    for folder in usr/bin usr/local/bin vendor/bin; do
        [ -x "$folder/$program" ] && part health "/$folder/$program" &&
            ${emulator:+"$emulator"} "./$folder/$program" 2>/dev/null | head -c 8192 && break 2
    done
done
