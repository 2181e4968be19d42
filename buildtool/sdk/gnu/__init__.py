"""gcc for ARM64, and clang with the libraries of a gcc."""
