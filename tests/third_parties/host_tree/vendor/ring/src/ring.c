#include "ring.h"

int ring_next(int at, int size) { return (at + 1) % size; }
