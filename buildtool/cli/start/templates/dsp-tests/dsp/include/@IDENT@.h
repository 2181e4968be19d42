/* The kernels of @NAME@. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* result[i] = factor * a[i] + b[i], modulo 2^16. */
void @IDENT@_scale_add(int16_t factor, const int16_t *a, const int16_t *b, int16_t *result,
                       size_t count);
