"""Real servers for tests of remote devices: OpenSSH's sshd, adbd with adb's server, and a proxy.

Everything listens on loopback only, and ends with its fixture.
"""
