/*
 * Runs the kernels on cases read from standard input and writes each output to
 * standard output: the same program for the build machine and for qemu-hexagon.
 *
 * A case is four little-endian u32 (op, first size, second size, distance from the
 * end) and the bytes of two inputs.  Each buffer ends `distance` bytes before a page
 * without access, so that reading or writing too far is a crash, and the
 * distance sets the alignment (arrays of int32 and float stay aligned to 4, as C requires).
 * Exit 3: bytes around the output were changed.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "kernels.h"
#include "workers.h"

/* From MATMUL_Q4_0 on, the number of vectors is added. */
enum { VEC_ADD_I32 = 0, MATVEC_Q8_0 = 1, MATMUL_Q4_0 = 2, PAGE = 65536, UNTOUCHED = 0xa5 };

/* Calls the workers one after the other. */
void run_workers(size_t count, void (*work)(void *argument, size_t i), void *argument)
{
    for (size_t i = 0; i < count; i++)
        work(argument, i);
}

/* PAGE is that of Hexagon's musl, whose mprotect rounds to 64 KiB. */
struct place {
    uint8_t *mapped, *base;
    size_t usable; /* bytes before the page without access */
    uint8_t *bytes;
    size_t size;
};

static void fail(const char *what, int status)
{
    fprintf(stderr, "driver: %s\n", what);
    exit(status);
}

static struct place place_before_guard(size_t size, size_t distance)
{
    struct place place;

    place.size = size;
    place.usable = (size + distance + 2 * PAGE - 1) / PAGE * PAGE;
    place.mapped = mmap(NULL, place.usable + 2 * PAGE, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (place.mapped == MAP_FAILED)
        fail("no memory", 2);
    place.base = place.mapped + (0 - (uintptr_t)place.mapped) % PAGE;
    if (mprotect(place.base + place.usable, PAGE, PROT_NONE) != 0)
        fail("cannot protect", 2);
    memset(place.base, UNTOUCHED, place.usable);
    place.bytes = place.base + place.usable - distance - size;
    return place;
}

static struct place read_input(size_t size, size_t distance)
{
    struct place place = place_before_guard(size, distance);

    if (fread(place.bytes, 1, size, stdin) != size)
        fail("input ends early", 2);
    return place;
}

static void write_output(const struct place *place)
{
    for (size_t i = 0; i < place->usable; i++) {
        const uint8_t *at = place->base + i;

        if ((at < place->bytes || at >= place->bytes + place->size) && *at != UNTOUCHED)
            fail("written outside the output", 3);
    }
    if (fwrite(place->bytes, 1, place->size, stdout) != place->size)
        fail("cannot write", 2);
}

static void release(const struct place *place)
{
    munmap(place->mapped, place->usable + 2 * PAGE);
}

static void run_case(uint32_t op, size_t first, size_t second, size_t distance)
{
    const size_t blocks = (second + Q8_0_VALUES - 1) / Q8_0_VALUES;
    const size_t block_bytes = op == MATVEC_Q8_0 ? Q8_0_BYTES : Q4_0_BYTES;
    const size_t count = op < MATMUL_Q4_0 ? 1 : op - MATMUL_Q4_0;
    const size_t aligned = distance / 4 * 4;
    const int add = op == VEC_ADD_I32;
    const struct place a = add ? read_input(4 * first, aligned)
                               : read_input(first * blocks * block_bytes, distance);
    const struct place b = add ? read_input(4 * first, aligned)
                               : read_input(count * blocks * Q8_0_BYTES, distance);
    const struct place out = place_before_guard(4 * count * first, aligned);

    if (add)
        vec_add_i32((const void *)a.bytes, (const void *)b.bytes, (void *)out.bytes, first);
    else if (op == MATVEC_Q8_0)
        matvec_q8_0(a.bytes, b.bytes, first, second, (void *)out.bytes);
    else if (!matmul_q4_0(a.bytes, b.bytes, first, second, count, (void *)out.bytes))
        fail("no memory", 2);
    write_output(&out);
    release(&a);
    release(&b);
    release(&out);
}

int main(void)
{
    uint32_t header[4];

    while (fread(header, sizeof header, 1, stdin) == 1)
        run_case(header[0], header[1], header[2], header[3]);
    return fflush(stdout) == 0 ? 0 : 2;
}
