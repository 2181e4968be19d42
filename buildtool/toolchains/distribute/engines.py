"""The programs that compile on other machines."""

ENGINES = ("distcc", "icecc")
