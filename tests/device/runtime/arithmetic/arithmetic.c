/* arithmetic.c: runs a function on all inputs of a file, for test_arithmetic.py.
 *
 * `run N` reads in.bin and writes out-N.bin, in the working directory; N is the number of a row. */
#include <stdlib.h>

#include "../skel/cases.h"
#include "calls.h"

int dsp_open(const char *, int, ...) __asm__("open"), dsp_close(int) __asm__("close");
long dsp_read(int, void *, size_t) __asm__("read");
long dsp_write(int, const void *, size_t) __asm__("write");
int snprintf(char *, size_t, const char *, ...);
#define O_CREATE (1 | 0100 | 01000) /* for writing, empty */
#define BLOCK 4096

/* Every function has a name of its own here: headers declare only some. */
#define ROW(number, symbol, kind, reference, exact) void function_##number(void) __asm__(symbol);
#include "rows.h"
#undef ROW
#define ROW(number, symbol, kind, reference, exact) {kind, function_##number},
static const struct {
    enum kind kind;
    void (*function)(void);
} rows[] = {
#include "rows.h"
};

static int run(const int32_t *number, int32_t *done)
{
    static uint64_t in[BLOCK][3], out[BLOCK][2];
    char name[32];
    long size;
    done[0] = 0;
    snprintf(name, sizeof name, "out-%d.bin", (int)number[0]);
    int inputs = dsp_open("in.bin", 0), outputs = dsp_open(name, O_CREATE, 0644);
    CHECK(inputs >= 0 && outputs >= 0);
    while ((size = dsp_read(inputs, in, sizeof in)) > 0) {
        long count = size / (long)sizeof in[0];
        for (long i = 0; i < count; i++) {
            call(rows[number[0]].kind, rows[number[0]].function, in[i], out[i]);
        }
        CHECK(dsp_write(outputs, out, (size_t)count * sizeof out[0]) ==
              count * (long)sizeof out[0]);
        done[0] += (int32_t)count;
    }
    dsp_close(inputs);
    dsp_close(outputs);
    return 0;
}

const struct named_case cases[] = {CASE(run), {NULL, NULL}};
