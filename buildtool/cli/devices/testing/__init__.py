"""Options of `buildtool test` about other services and the matrix of devices."""
