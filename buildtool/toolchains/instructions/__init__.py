"""Instructions of the DSP: encodings that open assemblers lack, and the needs of intrinsics."""
