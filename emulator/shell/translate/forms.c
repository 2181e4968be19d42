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

bool is_temporary(uint32_t word)
{
    return (word & PARSE) != 0 &&
           ((word & 0xffff20e0u) == 0x1e0100c0u || (word & 0xffe020e1u) == 0x1ea000e0u);
}

#define ALL_V UINT32_MAX
#define ALL_Q 15u

static struct registers registers_of(const struct form *form, uint32_t word, unsigned access)
{
    struct registers set = {0, 0};
    for (size_t i = 0; i < FIELDS_MAX; i++) {
        const struct field field = form->fields[i];
        const uint32_t number = word >> field.at;
        if ((field.kind & access) == 0) {
            continue;
        }
        if ((field.kind & FIELD_V) != 0) {
            set.v |= 1u << (number & 31u);
        } else if ((field.kind & FIELD_PAIR) != 0) {
            set.v |= 3u << (number & 30u);
        } else if ((field.kind & FIELD_Q) != 0) {
            set.q |= 1u << (number & 3u);
        }
    }
    return set;
}

/* ---- loads and stores ---- */

enum { LOAD, STORE, STORE_NEW };

/* Bits 23:21 are flags: 4 if there is a predicate, 2 for :nt, 1 for a store; bits 7:5 say more. */
#define FLAG_PREDICATE 4u
#define FLAG_STORE 1u

static bool is_memory(uint32_t word)
{
    return (word & PARSE) != 0 && (word >> 24 == 0x28 || word >> 24 == 0x29 || word >> 24 == 0x2b);
}

static int memory_kind(uint32_t word)
{
    const unsigned flags = word >> 21 & 7u, more = word >> 5 & 7u;
    const bool predicate = (flags & FLAG_PREDICATE) != 0;
    if ((flags & FLAG_STORE) == 0) {
        return predicate && more < 2 ? STORE : LOAD; /* with a vector predicate */
    }
    return (predicate ? more == 2 || more == 3 : more == 1) ? STORE_NEW : STORE;
}

bool is_forwarding_load(uint32_t word, bool *temporary)
{
    if (!is_memory(word) || memory_kind(word) != LOAD) {
        return false;
    }
    const unsigned more = word >> 5 & 7u;
    const bool predicate = (word >> 21 & FLAG_PREDICATE) != 0;
    *temporary = predicate ? more >= 6 : more == 2;
    return predicate ? more >= 4 : more == 1 || more == 2;
}

bool stores_new_value(uint32_t word)
{
    return is_memory(word) && memory_kind(word) == STORE_NEW;
}

/* ---- registers ---- */

/* Compilers clear a vector with vxor(v,v), and a pair with vsub: they do not use its value. */
static bool clears(uint32_t word)
{
    const bool same = (word >> 16 & 31u) == (word >> 8 & 31u);
    return same && ((word & 0xffe020e0u) == 0x1c2000e0u || (word & 0xffe121e1u) == 0x1c8000a0u);
}

/* Of a vector that is loaded or stored. */
static void used_by_memory(uint32_t word, struct registers *read, struct registers *written)
{
    const int kind = memory_kind(word);
    const bool predicate = (word >> 21 & FLAG_PREDICATE) != 0;
    bool temporary = false;
    if (kind == STORE) {
        read->v = 1u << (word & 31u);
        read->q = predicate && (word >> 21 & FLAG_STORE) == 0 ? 1u << (word >> 11 & 3u) : 0;
    } else if (kind == LOAD && !predicate && !(is_forwarding_load(word, &temporary) && temporary)) {
        written->v = 1u << (word & 31u);
    }
}

void registers_used(uint32_t word, struct registers *read, struct registers *written)
{
    *read = *written = (struct registers){0, 0};
    if (is_memory(word)) {
        used_by_memory(word, read, written);
        return;
    }
    const struct form *form = form_of(word);
    if (form != NULL) {
        *read = clears(word) ? *read : registers_of(form, word, FIELD_READ);
        *written = registers_of(form, word, FIELD_WRITE);
        written->v &= ~read->v;
        written->q &= ~read->q;
    } else if (is_vector(word)) {
        *read = (struct registers){ALL_V, ALL_Q};
    }
}

struct registers registers_read(uint32_t word)
{
    struct registers read, written;
    registers_used(word, &read, &written);
    return read;
}

uint32_t vectors_changed(uint32_t word)
{
    if (is_memory(word)) {
        return memory_kind(word) == LOAD ? 1u << (word & 31u) : 0;
    }
    const struct form *form = form_of(word);
    if (form != NULL) {
        return registers_of(form, word, FIELD_WRITE).v;
    }
    return is_vector(word) ? ALL_V : 0;
}

unsigned condition_of(uint32_t word, bool *inverted)
{
    if (is_memory(word)) {
        *inverted = (word >> 5 & 1u) != 0;
        return word >> 11 & 3u;
    }
    *inverted = form_of(word)->syntax[4] == '!';
    return word >> 5 & 3u;
}

struct extended extended_by(uint32_t word)
{
    struct extended set = {0};
    if (is_memory(word)) {
        const uint32_t vector = memory_kind(word) == LOAD ? 1u << (word & 31u) : 0;
        const bool predicate = (word >> 21 & FLAG_PREDICATE) != 0;
        bool temporary = false;
        set.loaded = is_forwarding_load(word, &temporary) && !predicate ? vector : 0;
        *(predicate ? &set.perhaps : &set.reset) = temporary ? 0 : vector;
        return set;
    }
    const struct form *form = form_of(word);
    if (form == NULL) {
        return set;
    }
    const char *syntax =
        form->syntax; /* "if (Ps) Vd=…", "if (!Ps) Vd=…"; a Q is no such predicate */
    const bool predicate = syntax[0] == 'i' && (syntax[4] == 'P' || syntax[5] == 'P');
    for (size_t i = 0; i < FIELDS_MAX; i++) {
        const struct field field = form->fields[i];
        const uint32_t number = word >> field.at;
        const uint32_t vectors = (field.kind & FIELD_PAIR) != 0 ? 3u << (number & 30u)
                                 : (field.kind & FIELD_V) != 0  ? 1u << (number & 31u)
                                                                : 0;
        if ((field.kind & (FIELD_X | FIELD_READ)) == (FIELD_X | FIELD_READ)) {
            set.read |= vectors;
        } else if ((field.kind & FIELD_X) != 0) {
            set.written |= vectors;
        } else if ((field.kind & FIELD_WRITE) != 0) {
            *(predicate ? &set.perhaps : &set.reset) |= vectors;
        }
    }
    return set;
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
