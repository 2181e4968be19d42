/* scale_add_test COUNT: compares the kernel with plain C for COUNT elements. */
#include <stdio.h>
#include <stdlib.h>

#include "@IDENT@.h"

enum { FACTOR = 3 };

int main(int argc, char **argv)
{
    const size_t count = argc > 1 ? strtoul(argv[1], NULL, 10) : 1001;
    int16_t *a = malloc(count * sizeof *a), *b = malloc(count * sizeof *b);
    int16_t *result = malloc(count * sizeof *result);
    size_t wrong = 0;

    if (count > 0 && (a == NULL || b == NULL || result == NULL)) {
        fprintf(stderr, "no memory for %zu elements\n", count);
        return 1;
    }
    for (size_t i = 0; i < count; i++) {
        a[i] = (int16_t)(i * 7919);
        b[i] = (int16_t)(i * 104729);
    }
    @IDENT@_scale_add(FACTOR, a, b, result, count);
    for (size_t i = 0; i < count; i++) {
        if (result[i] != (int16_t)(FACTOR * a[i] + b[i])) {
            printf("element %zu: %d is wrong\n", i, result[i]);
            wrong++;
        }
    }
    printf("%zu of %zu elements are right\n", count - wrong, count);
    free(a);
    free(b);
    free(result);
    return wrong == 0 ? 0 : 1;
}
