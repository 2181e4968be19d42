"""The archive that a failed run writes: what happened, with the logs and facts that explain it."""
