/* releases.c: replaces stores with release semantics. */
#include "releases.h"

#include <string.h>

#include "code_scan.h"
#include "translate/forms.h"

#define OPERANDS 0x001f1f00u /* Rs, Rt */
#define NOP 0x7f000000u

/* Returns what to execute in place of a word, or the word itself. Bit 5 is :at or :st, of which
 * threads the store is to be seen. */
static uint32_t without_release(uint32_t word)
{
    if ((word & PARSE) == 0) { /* a pair of short instructions */
        return word;
    }
    if ((word & 0xffe03fdfu) == 0xa0e0000cu) { /* release(Rs):at */
        return NOP | (word & PARSE);
    }
    const uint32_t rest = word & (OPERANDS | PARSE);
    switch (word & 0xffe020dfu) {
    case 0xa0a00008u: /* memw_rl(Rs):at = Rt */
        return 0xa1800000u | rest;
    case 0xa0e00008u: /* memd_rl(Rs):at = Rtt */
        return 0xa1c00000u | rest;
    default:
        return word;
    }
}

#define RELEASE_CLASSES (1u << 20)

static bool has_release(uint32_t word)
{
    return without_release(word) != word;
}

/* Returns P0 after "release(r29):at", which was true. */
int releases_probe(void);
__asm__(".text\n.p2align 2\nreleases_probe:\n{ p0 = cmp.eq(r0,r0) }\n.word 0xa0fdc00c\n"
        "{ r0 = p0\n jumpr r31 }\n");

/* The packet has no other instruction. */
static void patch_packet(void *context, uint32_t address, size_t size, uint32_t word)
{
    const struct link_memory *memory = context;
    const uint32_t plain = without_release(word);
    if (size == 1) {
        memcpy(memory->base + address, &plain, sizeof plain);
    }
}

void releases_patch(const struct image *image, struct functions *functions,
                    const struct link_memory *memory)
{
    if (releases_probe() == 0) {
        code_scan(image, functions, RELEASE_CLASSES, has_release, patch_packet, (void *)memory);
    }
}
