# Print the versions of the shells of all DSPs, of the kernel and of packages, in parts; parts.sh, facts.sh
# and board.sh come before.  Set before:
#   shells     patterns of the shells, relative to the root directory

set -f
for patterns in $shells; do
    set +f
    for path in $patterns; do
        # The first line is the name of the build, which can be empty.
        [ -f "$path" ] && part any_shell "/$path" && echo "$(build_of "$path")" && digest_of "$path"
    done
done
set +f
part kernel_version
uname -srv
part packages
set -f
names='libfastrpc* fastrpc* *hexagon-dsp* *dsp-binaries* firmware-q* linux-firmware* linux-image-*'
if [ -d var/lib/dpkg ]; then
    dpkg-query --admindir="$PWD/var/lib/dpkg" -W -f '${Package} ${Version}\n' $names 2>/dev/null
elif [ "$system" = / ]; then
    { opkg list-installed || rpm -qa --qf '%{NAME} %{VERSION}-%{RELEASE}\n'; } 2>/dev/null |
        grep -E '^[^ ]*(fastrpc|hexagon|dsp|firmware|kernel-image)'
fi | head -n 40
set +f
