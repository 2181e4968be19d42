#include "vectors.h"

words hvxmath_average(words a, words b) { return (a + b) >> 1; }

unsigned hvxmath_tile(void) { return IMGKIT_TILE; }
