#include "blur.h"

#include <imgkit/limits.h>
#include <vectors.h>

const char blur_arch[] = "blur for " IMGKIT_ARCH;

int blur_rows(void *rows) {
    words *row = rows;
    for (unsigned i = 1; i < hvxmath_tile(); i++) row[i] = hvxmath_average(row[i - 1], row[i]);
    return IMGKIT_WIDEST - 4096;
}
