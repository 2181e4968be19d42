"""The meaning of the messages of adb and run-as.

Source: transport.cpp, adb_client.cpp and commandline.cpp of Android's adb; run-as.cpp of Android.
"""

from __future__ import annotations

from buildtool.device.transports.failures import KnownFailure

UNAUTHORIZED = KnownFailure(
    r"device unauthorized|device still authorizing|failed to authenticate",
    "{device} does not trust this computer",
    "Unlock the device and accept the key that it shows: Allow USB debugging.",
)
NO_PERMISSION = KnownFailure(
    r"insufficient permissions for device|no permissions",
    "this user may not open {device}",
    "Install the udev rules for Android (apt-get install android-sdk-platform-tools-common), become"
    " a member of the group plugdev, and connect the device anew.",
)
MISSING = KnownFailure(
    r"^(adb: )?(error: )?(failed to get feature set: )?(device '.*' not found|no devices)",
    "{device} is not connected",
    "Connect it, switch on USB debugging, and compare its serial with: adb devices. A device in the"
    " bootloader is not listed.",
)
AMBIGUOUS = KnownFailure(
    r"more than one device",
    "{device} is the serial of more than one device",
    "Disconnect the others, or name the device by what `adb devices -l` prints for it: usb:1-4.",
)
OFFLINE = KnownFailure(
    r"device offline|device still connecting|device '.*' (is )?offline",
    "{device} does not answer",
    "Connect it anew; over the network: adb reconnect offline. Then look at: {command}",
)
NO_SHELL_V2 = KnownFailure(
    r"target doesn't support PTY args|only supports allocating a pty|device only supports",
    "{device} is too old",
    "Its adb cannot return exit statuses (shell v2): a device with Android 7 or newer is needed.",
)
OTHER_MODE = KnownFailure(
    r"\b(in )?(sideload|recovery|rescue|bootloader|fastboot)( mode)?\b",
    "{device} has not started Android",
    "Restart it: adb reboot. Then look at: {command}",
)
REFUSES_CONNECTION = KnownFailure(
    r"failed to connect to|failed to resolve host|unable to connect",
    "the adb server does not reach {device}",
    "Check that the device is switched on, in this network, and takes connections: adb tcpip 5555"
    " while it is connected by USB.",
)
RUN_AS = KnownFailure(
    r"^run-as: (unknown package|package )",
    "{device} does not run commands as {app}",
    "Install the app, built with android:debuggable.",
)
NO_RUN_AS = KnownFailure(
    r"^run-as: |run-as: (inaccessible or )?not found",
    "{device} cannot run commands as {app}",
    "Remove run-as from the settings of the device, or use another device.",
)
SERVER = KnownFailure(
    r"cannot connect to daemon|cannot start server on remote host|failed to start daemon|"
    r"daemon still not running|failed to check server version",
    "there is no adb server",
    "Start it on the machine with the device: adb start-server. For other machines: adb -a"
    " nodaemon server.",
)
REPLACED_SERVER = KnownFailure(
    r"doesn't match this client",
    "adb has stopped an adb server of another version",
    "Use one version of adb for all programs: set 'path' in [tool.adb] of buildtool.toml. Then"
    " start the command again.",
)
INTERRUPTED = KnownFailure(
    r"^(adb: )?(error: )?(closed|protocol fault|connection reset|write failure)|Broken pipe",
    "the connection to {device} was interrupted",
    "Check the cable or the network, then start the command again: {command}",
)
FAILURES = (
    REPLACED_SERVER,
    UNAUTHORIZED,
    NO_PERMISSION,
    AMBIGUOUS,
    MISSING,
    OFFLINE,
    NO_SHELL_V2,
    SERVER,
    REFUSES_CONNECTION,
    RUN_AS,
    NO_RUN_AS,
    OTHER_MODE,
    INTERRUPTED,
)
NO_SERVER = KnownFailure("it does not answer", "there is no adb server", SERVER.remedy)
NO_CONNECTION = KnownFailure(
    "the server says:", "the adb server does not reach {device}", REFUSES_CONNECTION.remedy
)
NO_REPORT = KnownFailure(
    "adb ended with status {status}, without a report of the script",
    "the connection to {device} was interrupted",
    INTERRUPTED.remedy,
)
KILLED = KnownFailure(
    "it had no time to report anything",
    "signal {status} ended adb, and with it the connection to {device}",
    "Start the command again, unless the signal was sent on purpose.",
)
