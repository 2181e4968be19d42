/* stops.c: a function for each instruction that qemu does not execute, and the same words as data.
 *
 * The test writes forms.h, with FORMS: LIST(number, word) for each of them. */
#include "cases.h"
#include "forms.h"

/* Functions of which the unwind table knows, but no symbol. */
#define FUNCTION(number, word)                                              \
    __asm__(".text\n.p2align 4\nform_" #number ": .cfi_startproc\n"         \
            "{ r0 = #1 }\n.word " #word "\n{ jumpr r31 }\n.cfi_endproc\n"); \
    void form_##number(void) __attribute__((visibility("hidden")));
FORMS(FUNCTION)

/* A table behind a function. */
#define DATA(number, word) ".word " #word "\n"
__asm__(".text\n.p2align 4\ntable:\n" FORMS(DATA));
extern const uint32_t table[] __attribute__((visibility("hidden")));

#define ADDRESS(number, word) form_##number,
static void (*const functions[])(void) = {FORMS(ADDRESS)};
#define WORD(number, word) word,
static const uint32_t words[] = {FORMS(WORD)};

static int form(const int32_t in[4], int32_t out[8])
{
    (void)out;
    functions[in[0]]();
    return 0;
}

static int data(const int32_t in[4], int32_t out[8])
{
    (void)in;
    (void)out;
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++) {
        EQUAL(table[i], words[i]);
    }
    return 0;
}

const struct named_case cases[] = {CASE(form), CASE(data), {NULL, NULL}};
