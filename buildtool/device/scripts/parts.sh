# Functions of the scripts that print facts and logs in parts: a line FENCE NAME, then raw text.  Set
# before:
#   fence      text that begins each part
part() {
    printf '\n%s %s\n' "$fence" "$*"
}

# An emulated ARM64 system, below QEMU_LD_PREFIX, in place of the one that runs this shell.
emulator=${BUILDTOOL_EXEC:-}
system=${QEMU_LD_PREFIX:-/}

# The messages of the kernel, or a line `unreadable`; in the directory $system.
kernel_messages() {
    if [ "$system" = / ]; then
        # To users who may not read the journal, journalctl shows nothing, without an error.
        dmesg 2>/dev/null || journalctl -k -b -q --no-pager 2>/dev/null | grep . ||
            logcat -d 2>/dev/null ||
            cat var/log/dmesg 2>/dev/null || echo unreadable
    else
        cat var/log/dmesg 2>/dev/null || echo unreadable
    fi
}
