/* forms.h: the instructions of HMX, from the table buildtool/toolchains/hmx_forms.tsv. */
#ifndef BUILDTOOL_HMX_FORMS_H
#define BUILDTOOL_HMX_FORMS_H

#include <stddef.h>
#include <stdint.h>

struct hmx_form {
    const char *name, *syntax, *class; /* "M8_mxclracc", "mxclracc", "accumulator" */
    uint32_t mask, bits;               /* a word is this instruction if word & mask == bits */
    uint32_t first, last; /* the archs that have it: 0x73 for v73; last 0: all later ones */
};

#define HMX_FORMS_MAX 256u /* more than the table has */
#define HMX_NO_FORM 0xffffu

/* The form with a number, or NULL. */
const struct hmx_form *hmx_form(uint32_t number);

/* The number of the form of a word, or HMX_NO_FORM. */
uint32_t hmx_form_of(uint32_t word);

#endif
