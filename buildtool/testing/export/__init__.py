"""Tests as an archive that runs on devices of other services, and the results that come back."""
