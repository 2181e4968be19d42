"""Runs the tests of a project on devices: its ctest suites, `[test.NAME]` programs and pytest."""
