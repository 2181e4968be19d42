"""The SDKs of vendors: known archives, their download and installation."""
