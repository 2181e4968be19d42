"""The cause of a failed run: its logs, its release and its device, looked at after it ended."""
