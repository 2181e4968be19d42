/* forms.h: what instructions of HVX read and write. */
#ifndef BUILDTOOL_SHELL_FORMS_H
#define BUILDTOOL_SHELL_FORMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bits 15:14 of a word: 3 is the end of a packet, 0 is a pair of short instructions and its end. */
#define PARSE 0xc000u
#define PARSE_END 0xc000u
#define PACKET_WORDS_MAX 4u

static inline bool ends_packet(uint32_t word)
{
    return (word & PARSE) == PARSE_END || (word & PARSE) == 0;
}

/* Whether the bits 31:27 of a word are in a set of numbers. Many words can be left out by them. */
static inline bool has_class(uint32_t word, uint32_t classes)
{
    return (classes >> (word >> 27) & 1u) != 0;
}

enum field_kind {
    FIELD_V = 1,
    FIELD_PAIR = 2, /* of vectors */
    FIELD_Q = 4,
    FIELD_R = 8,
    FIELD_READ = 16,
    FIELD_WRITE = 32,
    FIELD_R8 = 64, /* r0 to r7 only */
    FIELD_X = 128, /* with the extension bits of qf numbers, which the DSP has from v79 on */
};

/* Where an instruction has the number of a register. */
struct field {
    uint8_t kind, at;
};
#define FIELDS_MAX 4

/* An instruction of HVX: a word is one if word & mask == bits. */
struct form {
    uint32_t mask, bits;
    const char *syntax;
    bool replaced;      /* because a QEMU that the project supports does not execute it */
    bool ieee;          /* of the IEEE option, which no DSP has from v79 on */
    uint8_t first;      /* the first arch that has it, or 0 */
    const char *lacked; /* why the DSP lacks it, or NULL */
    const uint32_t *operation, *operation_end; /* see operations.h; NULL if there is none */
    struct field fields[FIELDS_MAX];
};

/* Returns the form of a word, or NULL. Memory instructions of HVX have none. */
const struct form *form_of(uint32_t word);

#define REPLACED_CLASSES (1u << 3)

/* Whether a word is an instruction that is replaced. All have one of these classes. */
bool form_is_replaced(uint32_t word);

/* Whether it is what a form says of why the DSP lacks it. */
bool form_is_lacked(const char *why);

/* Whether a word gives vectors a value for its packet alone that is not loaded: Vd.tmp=Vu,
 * Vdd.tmp=vcombine(Vu,Vv). These have no form. */
bool is_temporary(uint32_t word);

/* Whether a word loads a vector that its packet itself can use: .cur, or .tmp, which the packet alone
 * can use. Stores which. */
bool is_forwarding_load(uint32_t word, bool *temporary);

/* Whether a word has the code of an instruction with vectors. */
static inline bool is_vector(uint32_t word)
{
    return (word & PARSE) != 0 && has_class(word, 1u << 3 | 1u << 5);
}

/* Whether a word stores a vector that its packet writes. */
bool stores_new_value(uint32_t word);

/* The registers that a word uses, as sets: bit n stands for register n. */
struct registers {
    uint32_t v, q;
};

/* Stores those whose value before the packet it can read, of instructions that are not known all, and
 * those that it writes whole, in all cases. */
void registers_used(uint32_t word, struct registers *read, struct registers *written);

/* Those whose value before the packet it can read. */
struct registers registers_read(uint32_t word);

/* The vectors that it can change. */
uint32_t vectors_changed(uint32_t word);

/* The vectors whose extension bits a word uses, as sets. Before v79, all are empty. */
struct extended {
    uint32_t read;
    uint32_t written; /* with a result */
    uint32_t reset;   /* by a write without extension bits */
    uint32_t perhaps; /* reset if a predicate says so */
    uint32_t loaded;  /* for the instructions of the packet, always: these read a reset vector */
    uint32_t moved;   /* written with what the vectors of `moved_from` have: only in qf_tags.c */
    uint32_t moved_from;
    uint32_t saved; /* whose extension bits are read as integers: only in qf_tags.c */
};
struct extended extended_by(uint32_t word);

/* Of a word that changes a vector if a predicate says so: the number of that, and whether it does when
 * the predicate is false. */
unsigned condition_of(uint32_t word, bool *inverted);

/* The vectors that the operation of a form changes, and those of its parameters. */
uint32_t operation_changes(const struct form *form);

#endif
