"""CTest suites, whose programs run on devices."""
