/* translation.c: a function for each instruction that is replaced, and the same words as data.
 *
 * The test writes forms.h, with FORMS: LIST(number, word, stores) for each of them. */
#include <stdio.h>

#include "cases.h"
#include "forms.h"

/* Of inputs v0 to v5, q0 (of the bits of v3) and r3, into v8 and v9 or a predicate: see `stores`. */
#define LOAD                                                           \
    "{ v0 = vmem(r0+#0) }\n{ v1 = vmem(r0+#1) }\n"                     \
    "{ v2 = vmem(r0+#2) }\n{ v3 = vmem(r0+#5) }\n"                     \
    "{ v4 = vmem(r0+#3) }\n"                                           \
    "{ v5 = vmem(r0+#4) }\n{ v6 = vmem(r0+#5) }\n"                     \
    "{ r2 = ##0x01010101 }\n{ q0 = vand(v6,r2); q1 = vand(v6,r2) }\n"  \
    "{ r3 = memw(r0+#768) }\n{ v8 = vxor(v8,v8); v9 = vxor(v9,v9) }\n"

#define STORE_V "{ vmem(r1+#0) = v8 }\n{ vmem(r1+#1) = v9 }\n"
#define STORE_X "{ vmem(r1+#0) = v4 }\n{ vmem(r1+#1) = v5 }\n"
#define STORE_Q "{ v8 = vand(q1,r2) }\n" STORE_V
#define STORE_QX "{ v8 = vand(q0,r2) }\n" STORE_V

/* Functions of which the unwind table knows, but no symbol. */
#define FUNCTION(number, word, stores)                                                   \
    __asm__(".text\n.p2align 4\nform_" #number ": .cfi_startproc\n" LOAD ".word " #word  \
            "\n" stores "{ jumpr r31 }\n.cfi_endproc\n");                                \
    void form_##number(const void *in, void *out) __attribute__((visibility("hidden")));
FORMS(FUNCTION)

/* A table behind a function. */
#define DATA(number, word, stores) ".word " #word "\n"
__asm__(".text\n.p2align 4\ntable:\n" FORMS(DATA));
extern const uint32_t table[] __attribute__((visibility("hidden")));

#define ADDRESS(number, word, stores) form_##number,
static void (*const functions[])(const void *in, void *out) = {FORMS(ADDRESS)};
#define WORD(number, word, stores) word,
static const uint32_t words[] = {FORMS(WORD)};

#define IN_SIZE 896
#define OUT_SIZE 256

/* Calls a function. */
static int form(const int32_t in[4], int32_t out[8])
{
    static unsigned char inputs[IN_SIZE] __attribute__((aligned(128)));
    static unsigned char outputs[OUT_SIZE] __attribute__((aligned(128)));
    (void)out;
    functions[in[0]](inputs, outputs);
    return 0;
}

#define NUMBER_AT 772

/* Calls for each record of forms.in the function whose number is in it; writes forms.out. */
static int forms(const int32_t in[4], int32_t out[8])
{
    static unsigned char inputs[IN_SIZE] __attribute__((aligned(128)));
    static unsigned char outputs[OUT_SIZE] __attribute__((aligned(128)));
    FILE *input = fopen("forms.in", "r"), *output = fopen("forms.out", "w");
    (void)in;
    (void)out;
    CHECK(input != NULL && output != NULL);
    while (fread(inputs, IN_SIZE, 1, input) == 1) {
        functions[*(const uint32_t *)(inputs + NUMBER_AT)](inputs, outputs);
        CHECK(fwrite(outputs, OUT_SIZE, 1, output) == 1);
    }
    CHECK(fclose(output) == 0);
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

const struct named_case cases[] = {CASE(form), CASE(forms), CASE(data), {NULL, NULL}};
