# Print the processor time of a loop, which tells how fast the processors are now.
count=100000
while [ "$count" -gt 0 ]; do
    count=$((count - 1))
done
times
