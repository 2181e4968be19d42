/* form_registers.c: which registers an instruction of HVX reads and writes, and when. */
#include "forms.h"

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
