/* qfloat.c: a function for each instruction that has operands or a result with extension bits.
 *
 * The test writes forms.h, with FORMS: LIST(number, word) for each of them. */
#include <stdio.h>

#include "cases.h"
#include "forms.h"

/* The vector n and its extension bits, which are a bit in each byte. */
#define EXTENDED(n, at, bits_at)                                         \
    "{ v20 = vmem(r0+#" #bits_at ") }\n{ v21 = vmem(r0+#" #at ") }\n"    \
    "{ v20.x = vsetqfext(v20,r2) }\n{ v" #n " = vmerge(v20.x,v21.w) }\n"

/* u in v1:0, v in v2, x in v4, and r3; the result in v9:8 or v4, with its extension bits. */
#define LOAD                                                                                  \
    "{ r2 = ##0x01010101; r0 = add(r0,#512) }\n" EXTENDED(0, -4, 1) EXTENDED(1, -3, 2)        \
        EXTENDED(2, -2, 3) "{ v4 = vmem(r0+#-1) }\n{ r3 = memw(r0+#0); r4 = ##0x08040201 }\n"
#define STORE                                                                 \
    "{ v10 = vgetqfext(v8.x,r4); vmem(r1+#0) = v8 }\n"                        \
    "{ v11 = vgetqfext(v9.x,r4); vmem(r1+#1) = v9 }\n"                        \
    "{ vmem(r1+#2) = v10 }\n{ vmem(r1+#3) = v11 }\n"                          \
    "{ v10 = vgetqfext(v4.x,r4); vmem(r1+#4) = v4 }\n{ vmem(r1+#5) = v10 }\n" \
    "{ jumpr r31 }\n"

#define FUNCTION(number, word)                                                                     \
    __asm__(".text\n.p2align 4\nform_" #number ": .cfi_startproc\n" LOAD ".word " #word "\n" STORE \
            ".cfi_endproc\n");                                                                     \
    void form_##number(const void *in, void *out) __attribute__((visibility("hidden")));
FORMS(FUNCTION)

#define ADDRESS(number, word) form_##number,
static void (*const functions[])(const void *in, void *out) = {FORMS(ADDRESS)};

#define IN_SIZE 1024 /* u, uu, v, x, then r and the number, then the bits of u, uu and v */
#define NUMBER_AT 516
#define OUT_SIZE 768

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

const struct named_case cases[] = {CASE(forms), {NULL, NULL}};
