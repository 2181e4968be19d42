#pragma once

typedef int words __attribute__((vector_size(128)));

words hvxmath_average(words a, words b);
unsigned hvxmath_tile(void);
