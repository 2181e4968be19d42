"""The meaning of the messages of ssh."""

from __future__ import annotations

from buildtool.device.transports.failures import KnownFailure

KEY_CHANGED = KnownFailure(
    r"^Host key for .* has changed|REMOTE HOST IDENTIFICATION HAS CHANGED",
    "{device} has another host key than before",
    "If the device was set up anew, remove its old key with ssh-keygen -R, then accept the new one:"
    " {command}. Otherwise another machine may have taken its place.",
)
KEY_UNKNOWN = KnownFailure(
    r"^No .* host key is known|^Host key verification failed",
    "the host key of {device} is not known",
    "Log in once by hand, and compare the key before you accept it: {command}",
)
UNKNOWN_HOST = KnownFailure(
    r"^ssh: Could not resolve hostname",
    "the address of {device} is not known",
    "Check the name of the host, and that the device is switched on and in this network.",
)
NOT_LISTENING = KnownFailure(
    r"^ssh: connect to host .*: Connection refused",
    "{device} accepts no ssh connections",
    "Check the port, and that an ssh server runs on the device.",
)
UNREACHABLE = KnownFailure(
    r"^ssh: connect to host |^Connection timed out during|^Connection to .* timed out",
    "{device} cannot be reached",
    "Check that the device is switched on and in this network: {command}",
)
REFUSED_LOGIN = KnownFailure(
    r"Permission denied \(|Too many authentication failures|no (more )?authentication methods",
    "{device} refuses the login",
    "Log in by hand: {command}. If that asks for a password or a passphrase, install a key with"
    " ssh-copy-id, or add the key to the agent with ssh-add.",
)
CONFIGURATION = KnownFailure(
    r"Bad configuration option|bad configuration options|^Bad owner or permissions on|"
    r"unsupported option|^percent_expand|^Can't open user config file",
    "ssh refuses its configuration",
    "Correct the configuration until this command works: {command}",
)
CLOSED_AT_ONCE = KnownFailure(
    r"^kex_exchange_identification|UNKNOWN port 65535$|stdio forwarding failed",
    "the connection to {device} was closed before the login",
    "Log in by hand, which shows why: {command}. It can be the jump host, a ProxyCommand that"
    " fails, or a server with too many connections.",
)
ACCOUNT = KnownFailure(
    r"account is (currently )?not available|has expired|password change required|restricted|"
    r"^rbash|not allowed to",
    "the account on {device} cannot run commands",
    "Give the account a shell without restrictions, or use another one: {command}",
)
NO_SHELL = KnownFailure(
    r"\bsh: .*not found|exec: .*not found|Unknown command|Unmatched '|Illegal variable name",
    "the login shell on {device} cannot start sh",
    "Give the account a POSIX shell, such as /bin/sh: {command}",
)
TOO_MANY_SESSIONS = KnownFailure(
    r"Session open refused by peer|session request failed",
    "{device} refuses another session",
    "Wait until other commands for the device have ended, or set a higher MaxSessions in"
    " /etc/ssh/sshd_config there.",
)
INTERRUPTED = KnownFailure(
    r"^Connection (to .* )?(reset|closed)|closed by remote host|^client_loop|^ssh_dispatch|"
    r"^mux_client|Broken pipe|not responding|^Timeout, server|^packet_write",
    "the connection to {device} was interrupted",
    "Check the device and the network, then start the command again: {command}",
)
FAILURES = (
    KEY_CHANGED,
    KEY_UNKNOWN,
    CLOSED_AT_ONCE,
    UNKNOWN_HOST,
    NOT_LISTENING,
    UNREACHABLE,
    REFUSED_LOGIN,
    CONFIGURATION,
    TOO_MANY_SESSIONS,
    INTERRUPTED,
)
"""Failures that ssh itself reports."""
SHELL_FAILURES = (ACCOUNT, NO_SHELL)
"""Failures that the login shell reports, which ended by itself."""
SILENT = KnownFailure(
    "ssh ended with status {status}, which it also does when a signal ends sh on the device",
    "the connection to {device} was interrupted",
    "Check that the device still runs, then start the command again: {command}",
)
CLOSED_SILENTLY = CLOSED_AT_ONCE._replace(
    # It could not write to a ProxyCommand that had ended: that is a message of the level INFO.
    pattern="ssh ended with status {status} and without a message"
)
KILLED = KnownFailure(
    "it had no time to report anything",
    "signal {status} ended ssh, and with it the connection to {device}",
    "Start the command again, unless the signal was sent on purpose.",
)
NO_REPORT = KnownFailure(
    "the script did not run to its end",
    "the login shell on {device} ended with status {status} and without a report",
    "Check what the login shell does when it starts: {command}",
)
