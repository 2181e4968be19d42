# Print the versions of the kernel and of packages that a DSP needs, in parts; parts.sh and facts.sh come
# before.

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
