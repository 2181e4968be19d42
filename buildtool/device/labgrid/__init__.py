"""Places of a labgrid coordinator, which are acquired while their devices are used."""
