"""Stand-ins for the services of `test --export`, which cannot be reached from tests.

Each keeps the contract that docs/cloud.md describes with its sources, runs what it gets on a device
of the test, and stores results as the service does.
"""
