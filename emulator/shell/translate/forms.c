/* forms.c: decodes instructions of HVX. */
#include "forms.h"

#include <stdio.h>

#include "shell.h"

/* The linker gives the addresses of the section of an operation, see operations.h. */
#define IEEE REPLACED
#define REPLACED(name, ...)                                              \
    extern const uint32_t __start_op_##name[] __attribute__((weak));     \
    extern const uint32_t __stop_op_##name[] __attribute__((weak));      \
    extern const uint32_t __start_op_v79_##name[] __attribute__((weak)); \
    extern const uint32_t __stop_op_v79_##name[] __attribute__((weak));
#define EXECUTED(name, ...)
#include "forms.inc"
#undef IEEE
#undef REPLACED
#undef EXECUTED

#define V_READ(at) {FIELD_V | FIELD_READ, at}
#define V_WRITE(at) {FIELD_V | FIELD_WRITE, at}
#define V_BOTH(at) {FIELD_V | FIELD_READ | FIELD_WRITE, at}
#define W_READ(at) {FIELD_PAIR | FIELD_READ, at}
#define W_WRITE(at) {FIELD_PAIR | FIELD_WRITE, at}
#define W_BOTH(at) {FIELD_PAIR | FIELD_READ | FIELD_WRITE, at}
#define VX_READ(at) {FIELD_V | FIELD_X | FIELD_READ, at}
#define VX_WRITE(at) {FIELD_V | FIELD_X | FIELD_WRITE, at}
#define WX_READ(at) {FIELD_PAIR | FIELD_X | FIELD_READ, at}
#define WX_WRITE(at) {FIELD_PAIR | FIELD_X | FIELD_WRITE, at}
#define Q_READ(at) {FIELD_Q | FIELD_READ, at}
#define Q_WRITE(at) {FIELD_Q | FIELD_WRITE, at}
#define Q_BOTH(at) {FIELD_Q | FIELD_READ | FIELD_WRITE, at}
#define R_READ(at) {FIELD_R | FIELD_READ, at}
#define R8_READ(at) {FIELD_R | FIELD_R8 | FIELD_READ, at}

/* Sorted by bits. */
static struct form forms[] = {
#define OPERATION(name) __start_##name, __stop_##name
#define IEEE(name, first, mask, bits, syntax, ...)                                      \
    {mask, bits, syntax, true, true, first, NULL, OPERATION(op_##name), {__VA_ARGS__}},
#define REPLACED(name, first, mask, bits, syntax, ...)                                   \
    {mask, bits, syntax, true, false, first, NULL, OPERATION(op_##name), {__VA_ARGS__}},
#define EXECUTED(name, mask, bits, syntax, ...)                             \
    {mask, bits, syntax, false, false, 0, NULL, NULL, NULL, {__VA_ARGS__}},
#include "forms.inc"
#undef IEEE
#undef REPLACED
#undef EXECUTED
};
#define FORM_COUNT (sizeof forms / sizeof *forms)

/* Forms by their bits 31:24, 13 and 7:5: the numbers of those with each value, one after the other. A
 * form that does not fix all of these bits is with each value that it can have. */
#define KEY_BITS 0x20e0u
#define KEYS 16u
static uint16_t first[256 * KEYS + 1];
static uint16_t numbers[FORM_COUNT * 2];

static bool fits(const struct form *form, unsigned key)
{
    const uint32_t bits = (key >> 3) << 13 | (key & 7u) << 5;
    return ((bits ^ form->bits) & form->mask & KEY_BITS) == 0;
}

static const struct {
    const uint32_t *start, *end;
} from_v79[] = {
#define IEEE(name, ...) {NULL, NULL},
#define REPLACED(name, ...) {OPERATION(op_v79_##name)},
#define EXECUTED(name, ...) {NULL, NULL},
#include "forms.inc"
};

#define FIRST_ARCH 0x68u
#define LAST_ARCH 0x81u

/* Returns why a DSP lacks a form, or NULL. */
static const char *why_lacked(const struct form *form, unsigned arch)
{
    static char newer[LAST_ARCH + 1 - FIRST_ARCH][112];
    if (form->ieee && (arch >= 0x79 || form->first >= 0x79)) {
        return "DSPs have no such instruction from v79 on, and give zeros or infinities: "
               "compute in .qf32 or .qf16, and convert the result";
    }
    if (form->first <= arch) {
        return NULL;
    }
    char *text = newer[form->first - FIRST_ARCH];
    snprintf(text, sizeof newer[0],
             "DSPs have it from v%x on, and this one is a v%x: build the skel for the arch of the "
             "device",
             form->first, arch);
    return text;
}

/* The DSP's arch decides, not the skel's: registers are the DSP's. */
static void choose_operations(void)
{
    const unsigned arch = shell_facts()->arch;
    const bool extended = arch >= 0x79;
    for (size_t i = 0; i < FORM_COUNT; i++) {
        forms[i].lacked = why_lacked(&forms[i], arch);
        if (forms[i].lacked != NULL) {
            forms[i].operation = forms[i].operation_end = NULL;
        } else if (extended && from_v79[i].start != NULL) {
            forms[i].operation = from_v79[i].start;
            forms[i].operation_end = from_v79[i].end;
        }
        for (size_t k = 0; !extended && k < FIELDS_MAX; k++) {
            forms[i].fields[k].kind &= (uint8_t)~FIELD_X;
        }
    }
}

/* Most skels have no such word, so this is done for the first one. The caller is alone: one module is
 * loaded at a time. */
static void index_forms(void)
{
    size_t at = 0, start = 0;
    choose_operations();
    for (unsigned top = 0; top < 256; top++) {
        size_t end = start;
        while (end < FORM_COUNT && forms[end].bits >> 24 == top) {
            end++;
        }
        for (unsigned key = 0; key < KEYS; key++) {
            first[top * KEYS + key] = (uint16_t)at;
            for (size_t i = start; i < end; i++) {
                if (fits(&forms[i], key) && at < sizeof numbers / sizeof *numbers) {
                    numbers[at++] = (uint16_t)i;
                }
            }
        }
        start = end;
    }
    first[256 * KEYS] = (uint16_t)at;
}

const struct form *form_of(uint32_t word)
{
    const unsigned key = (word >> 24) * KEYS + (word >> 13 & 1u) * 8 + (word >> 5 & 7u);
    if (first[256 * KEYS] == 0) {
        index_forms();
    }
    for (size_t i = first[key]; (word & PARSE) != 0 && i < first[key + 1]; i++) {
        const struct form *form = &forms[numbers[i]];
        if ((word & form->mask) == form->bits) {
            return form;
        }
    }
    return NULL;
}

bool form_is_replaced(uint32_t word)
{
    const struct form *form = has_class(word, REPLACED_CLASSES) ? form_of(word) : NULL;
    return form != NULL && form->replaced;
}

bool form_is_lacked(const char *why)
{
    for (size_t i = 0; i < FORM_COUNT; i++) {
        if (why != NULL && forms[i].lacked == why) {
            return true;
        }
    }
    return false;
}

/* Returns the vectors of the parameters: one for each but a predicate, from v0 on. */
static uint32_t parameters_of(const struct form *form)
{
    unsigned count = 0;
    for (size_t i = 0; i < FIELDS_MAX; i++) {
        const unsigned kind = form->fields[i].kind;
        if ((kind & FIELD_READ) != 0 && (kind & FIELD_Q) == 0) {
            count += ((kind & FIELD_PAIR) != 0 ? 2u : 1u) << ((kind & FIELD_X) != 0);
        }
    }
    return (1u << count) - 1u;
}

uint32_t operation_changes(const struct form *form)
{
    static uint32_t known[FORM_COUNT]; /* a skel can use a form thousands of times */
    uint32_t *changed = &known[form - forms];
    if (*changed == 0) {
        *changed = parameters_of(form);
        for (const uint32_t *word = form->operation; word != form->operation_end; word++) {
            *changed |= vectors_changed(*word);
        }
    }
    return *changed;
}
