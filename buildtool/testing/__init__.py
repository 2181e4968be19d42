"""Runs the tests of a project on devices: its ctest suites, `[test.NAME]` programs and pytest."""

TEST_VARIABLE = "BUILDTOOL_TEST"
"""The variable with what pytest is told, as JSON: `records`, the descriptor for `Records`;
`choice` and `options`, the fields of `DeviceChoice` and `Options`; `timeout`, the seconds that
programs have by default; `dsp_may_crash`, whether they may crash the DSP process."""
LOST, OUTCOME, DSP_CRASH = "connection lost", "outcome", "DSP crash"
"""Properties of tests in reports."""
