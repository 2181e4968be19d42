"""The archive that a failed run leaves: what happened, with the logs and facts that explain it."""
