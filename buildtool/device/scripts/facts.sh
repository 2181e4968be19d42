# Print facts about the device in parts; parts.sh comes before.  Set before:
#   limit      bytes of a text file that are printed
#   properties names of Android's properties
#   root       where releases are installed; may begin with $HOME/
#   texts      files that are printed          libraries  files of which the first one is used
#   binaries   files of which the first bytes are printed
#   nodes      special files                   tools      names of programs
#   programs   sizes of the programs on standard input that query the DSP: for Linux, for Android;
#              "" for none
# texts, libraries, binaries and nodes are patterns relative to the root directory.
digest_of() {
    sha256sum <"$1" 2>&1 | head -c 200
}

machine=aarch64
[ "$system" != / ] || machine=$(uname -m)
part machine
printf %s "$machine"
part boot
head -c 100 /proc/sys/kernel/random/boot_id
part user
id -u
id -un 2>/dev/null
part home
printf %s "$HOME"
part pages
head -c 4096 /proc/self/auxv
part tools
for tool in $tools; do
    command -v "$tool" >/dev/null && printf '%s ' "$tool"
done

case $root in
    '$HOME'/*) root=$HOME/${root#??????} ;;
    '$HOME') root=$HOME ;;
esac
part root
printf %s "$root"
near=$root
while [ ! -e "$near" ] && [ "${near%/*}" != "$near" ]; do near=${near%/*}; done
[ -n "$near" ] || near=/
part near
printf %s "$near"
part free
df -Pk "$near" 2>&1 | head -c 4096
try=${near%/}/.buildtool.$$
trap 'rm -rf "$try"' EXIT
part writable
if mkdir "$try" 2>&1 && echo >"$try/file"; then
    echo yes
    part links
    ln "$try/file" "$try/hard" 2>/dev/null && echo hard
    ln -s file "$try/symbolic" 2>/dev/null && echo symbolic
    part executable
    printf '#!%s\nexit 7\n' "$(command -v sh)" >"$try/script"
    chmod 700 "$try/script" && "$try/script" 2>&1
    echo "status $?"
fi

cd "$system" || exit
android=no
[ ! -e system/build.prop ] && [ ! -e system/bin/linker64 ] || android=yes
part android
echo "$android"
part properties
if command -v getprop >/dev/null; then
    for name in ro.build.version.sdk ro.product.model $properties; do
        printf '%s=' "$name"
        getprop "$name"
    done
fi
set -f
for patterns in $texts; do
    set +f
    for path in $patterns; do
        [ -f "$path" ] && part text "/$path" && head -c "$limit" "$path" 2>/dev/null
    done
done
set -f
for patterns in $libraries; do
    set +f
    for path in $patterns; do
        [ -f "$path" ] && part library "/$path" && digest_of "$path" && break 2
    done
done
set -f
for patterns in $binaries; do
    set +f
    for path in $patterns; do
        [ -f "$path" ] || continue
        part header "/$path"
        head -c 52 "$path" 2>&1
        part digest "/$path"
        digest_of "$path"
    done
done
set -f
for patterns in $nodes; do
    set +f
    for path in $patterns; do
        [ -e "$path" ] || continue
        part node "/$path"
        [ -r "$path" ] && echo readable
        [ -w "$path" ] && echo writable
        stat -L -c 'mode %a %U %G' "$path" 2>/dev/null
    done
done
set +f
part glibc
for loader in lib/ld-linux-aarch64.so.1 lib/aarch64-linux-gnu/libc.so.6 lib64/libc.so.6; do
    [ -f "$loader" ] && ${emulator:+"$emulator"} "./$loader" --version 2>/dev/null | head -n 1
done
if [ "$system" = / ]; then
    getconf GNU_LIBC_VERSION 2>/dev/null
    ldd --version 2>/dev/null | head -n 1
fi

if [ -d "$try" ] && [ "$machine" = aarch64 ] && [ -n "$programs" ]; then
    cat >"$try/programs"
    set -- $programs
    first=1
    if [ "$android" = yes ]; then
        first=$((first + $1))
        shift
    fi
    tail -c "+$first" "$try/programs" | head -c "$1" >"$try/query"
    chmod 700 "$try/query"
    part query
    ${emulator:+"$emulator"} "$try/query" 2>&1 | head -c 8192
fi
