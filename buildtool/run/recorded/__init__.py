"""What a program asked of the DSP, with inputs and outputs: `record.py` records it, `recording.py`
reads it, `compare.py` says where two recordings differ.
"""
