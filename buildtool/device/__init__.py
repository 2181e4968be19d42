"""Devices, and the communication with them."""
