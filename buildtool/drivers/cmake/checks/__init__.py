"""What is checked of what a build has linked."""
