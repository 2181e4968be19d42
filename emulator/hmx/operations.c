/* operations.c: what the instructions of the table mean, from their syntax. */
#include <string.h>

#include "forms.h"
#include "state.h"

static bool starts(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static enum kind kind_of(const struct hmx_form *form)
{
    const char *syntax = form->syntax;
    if (strcmp(form->class, "print") == 0) {
        return PRINT;
    }
    if (starts(syntax, "activation")) {
        return ACTIVATION;
    }
    if (starts(syntax, "weight")) {
        return WEIGHT;
    }
    if (starts(syntax, "bias=")) {
        return BIAS_LOAD;
    }
    if (starts(syntax, "mxclracc")) {
        return CLEAR;
    }
    if (starts(syntax, "mxswapacc")) {
        return SWAP;
    }
    if (starts(syntax, "acc=")) {
        return SHIFT;
    }
    if (starts(syntax, "cvt.")) {
        return CONVERT;
    }
    if (strstr(syntax, "=bias") != NULL) {
        return BIAS_STORE;
    }
    return strstr(syntax, "=cvt") != NULL ? STORE : DIRECT;
}

static enum type type_of(const char *syntax, bool twice)
{
    static const char *const names[] = {
        [UB] = "ub",           [UH] = "uh",      [HF] = "hf",
        [F8] = "f8",           [BYTE] = "b",     [SIGN_MAGNITUDE] = "sm",
        [NIBBLE] = "n",        [NIBBLE_2X] = "", [CRUMB] = "c",
        [SIGNED_CRUMB] = "sc", [BIT] = "ubit",   [SIGNED_BIT] = "sbit"};
    const char *name = strchr(syntax, '.');
    const size_t length = name == NULL ? 0 : strcspn(++name, "=:(");
    for (size_t i = 0; length > 0 && i < sizeof names / sizeof *names; i++) {
        if (strlen(names[i]) == length && memcmp(names[i], name, length) == 0) {
            return i == NIBBLE && twice ? NIBBLE_2X : (enum type)i;
        }
    }
    return UB;
}

static struct operation parsed(uint32_t number)
{
    const struct hmx_form *form = hmx_form(number);
    const char *syntax = form->syntax;
    const bool twice = strstr(syntax, ":2x") != NULL && strstr(syntax, ":2x1") == NULL &&
                       strstr(syntax, ":2x2") == NULL;
    return (struct operation){
        .kind = kind_of(form),
        .type = type_of(syntax, twice),
        .channel_major = strstr(syntax, ":cm") != NULL,
        .retain = strstr(syntax, ":retain") != NULL,
        .saturates = strstr(syntax, ":sat") != NULL,
        .positive = strstr(syntax, ":pos") != NULL,
        .before = strstr(syntax, ":before") != NULL,
        .after = strstr(syntax, ":after") != NULL,
        .above = strstr(syntax, ":above") != NULL,
        .single = strstr(syntax, ":single") != NULL,
        .dilate = strstr(syntax, ":dilate") != NULL,
        .drop = strstr(syntax, ":drop") != NULL,
        .deep = strstr(syntax, ":deep") != NULL,
        .two_by_two = strstr(syntax, ":2x2") != NULL,
        .words = strstr(syntax, "mxmem2") != NULL,
        .scale_half = strstr(syntax, ":sc0") != NULL   ? 1
                      : strstr(syntax, ":sc1") != NULL ? 2
                                                       : 0,
        .syntax = syntax,
        .first = form->first,
        .last = form->last,
    };
}

const struct operation *operation_of(uint32_t form)
{
    static struct operation known[HMX_FORMS_MAX];
    if (known[form].syntax == NULL) {
        known[form] = parsed(form);
    }
    return &known[form];
}
