"""`run --profile`: where the instructions of the DSP go, and files for other tools."""
