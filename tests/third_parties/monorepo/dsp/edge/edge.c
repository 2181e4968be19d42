#include "edge.h"

#include <vectors.h>

int edge_rows(void *rows) {
    words *row = rows;
    for (unsigned i = 1; i < hvxmath_tile(); i++) row[i - 1] = row[i] - row[i - 1];
    return 0;
}
