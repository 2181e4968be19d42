/* reference.c: random operands for instructions of qf, and a check of what they have written.
 *
 *   reference make FORMS ROUNDS SEED > forms.in
 *   reference check FORMS forms.in forms.out
 *
 * FORMS has a line for each instruction: its number in the skel, and its syntax. Records are those of
 * ../skel/qfloat.c. `check` prints the lanes that were compared, those that are wrong, and the first ones
 * of these. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "numbers.h"
#include "random_numbers.h"

#define FORMS_MAX 64
#define SHOWN 20

enum source { U, V, RT, SOURCES, UU = SOURCES };

struct form {
    uint32_t number;
    char syntax[64], operation[16];
    enum type result, types[2];
    enum source sources[2];
    int count;
    bool pair;
};

struct record {
    uint32_t u[LANES], uu[LANES], v[LANES], x[LANES];
    uint32_t scalar, number, rest[30];
    uint8_t more[3][4 * LANES]; /* of u, uu and v: a byte for each bit */
};

struct result {
    uint32_t v8[LANES], v9[LANES];
    uint8_t more8[4 * LANES], more9[4 * LANES]; /* bit n in byte n */
    uint32_t x[2 * LANES];
};

static struct form forms[FORMS_MAX];
static int form_count;

/* ---- forms ---- */

static enum type type_of(const char *text)
{
    for (int i = 0; i < TYPES; i++) {
        if (strcmp(text, names[i]) == 0) {
            return (enum type)i;
        }
    }
    fprintf(stderr, "no type: %s\n", text);
    exit(1);
}

/* Reads "Vd.qf32=vadd(Vu.qf32,Vv.sf)" or "Vd.sf=Vu.qf32". */
static void parse(struct form *form)
{
    char text[64], *rest = text;
    memcpy(text, form->syntax, sizeof text);
    form->pair = strncmp(strsep(&rest, "."), "Vdd", 4) == 0;
    form->result = type_of(strsep(&rest, "="));
    if (strchr(rest, '(') != NULL) {
        snprintf(form->operation, sizeof form->operation, "%s", strsep(&rest, "("));
    }
    for (char *operand;
         form->count < 2 && (operand = strsep(&rest, ",)")) != NULL && *operand != 0;) {
        const char *name = strsep(&operand, ".");
        form->sources[form->count] = strcmp(name, "Vuu") == 0  ? UU
                                     : strcmp(name, "Vv") == 0 ? V
                                     : strcmp(name, "Rt") == 0 ? RT
                                                               : U;
        form->types[form->count++] = type_of(operand);
    }
}

static void read_forms(const char *name)
{
    FILE *file = fopen(name, "r");
    while (file != NULL && form_count < FORMS_MAX) {
        struct form *form = &forms[form_count];
        if (fscanf(file, "%u %63s", &form->number, form->syntax) != 2) {
            break;
        }
        parse(form);
        form_count++;
    }
    if (form_count == 0) {
        perror(name);
        exit(1);
    }
}

/* ---- records ---- */

static void make(int rounds)
{
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < form_count; i++) {
            static struct record record;
            const struct form *form = &forms[i];
            const enum type second = form->count > 1 ? form->types[1] : form->types[0];
            fill(record.u, form->types[0]);
            fill(record.uu, form->types[0]);
            fill(record.v, second);
            for (int n = 0; n < 3; n++) {
                fill_bits(record.more[n]);
            }
            if (below(10) == 0 && second == form->types[0]) {
                memcpy(record.v, record.u, sizeof record.v);
                memcpy(record.more[2], record.more[0], sizeof record.more[2]);
            }
            record.scalar = random_number(second == F8 ? HF : second);
            record.scalar |= is_half(second) ? random_number(HF) << 16 : 0;
            record.number = form->number;
            fwrite(&record, sizeof record, 1, stdout);
        }
    }
}

/* ---- what instructions write ---- */

static uint32_t joined_bits(const uint8_t *bytes)
{
    uint32_t more = 0;
    for (int n = 0; n < 4; n++) {
        more |= (uint32_t)(bytes[n] != 0) << n;
    }
    return more;
}

static struct number decoded(enum type type, struct lane x)
{
    switch (type) {
    case QF32:
        return of_qf32(x);
    case QF16:
        return of_qf16(x);
    case SF:
        return of_ieee(x.bits, 8, 23);
    case HF:
        return of_ieee(x.bits, 5, 10);
    default:
        return of_f8(x.bits);
    }
}

/* Returns a lane of an operand: a word, a half, or a byte. */
static struct number operand(const struct form *form, const struct record *record, int index,
                             int lane)
{
    const enum type type = form->types[index];
    enum source source = form->sources[index];
    if (source == UU) { /* even lanes of the result are of the lower register */
        source = lane % 2 == 0 ? U : UU;
        lane /= 2;
    }
    const int in_word = type == F8 ? 4 : is_half(type) ? 2 : 1, part = lane % in_word;
    const int word = lane / in_word, width = 32 / in_word;
    const uint32_t *words = source == U ? record->u : source == V ? record->v : record->uu;
    const uint8_t *bytes = record->more[source == U ? 0 : source == V ? 2 : 1];
    struct lane x = {source == RT ? record->scalar : words[word],
                     source == RT ? 0 : joined_bits(bytes + 4 * word)};
    x.bits = x.bits >> (width * part) & (uint32_t)((1ull << width) - 1);
    x.more = type == QF16 ? x.more >> (2 * part) & 3 : x.more;
    return decoded(type, x);
}

static struct lane computed(const struct form *form, const struct record *record, int lane)
{
    const struct number a = operand(form, record, 0, lane);
    const struct format *qf = form->result == QF32 ? &qf32 : &qf16;
    const char *name = form->operation;
    if (strcmp(name, "vilog2") == 0) {
        return is_half(form->types[0]) ? (struct lane){log_2(a, 0x7fff) & 0xffff, 2}
                                       : (struct lane){log_2(a, 0x7fffffff), 10};
    }
    if (form->count == 2) {
        const struct number b = operand(form, record, 1, lane);
        return strcmp(name, "vmpy") == 0   ? product(qf, a, b)
               : strcmp(name, "vsub") == 0 ? sum(qf, a, opposite(b))
                                           : sum(qf, a, b);
    }
    switch (form->result) {
    case SF:
        return (struct lane){to_ieee(a, 8, 23), 10};
    case HF:
        return (struct lane){to_ieee(a, 5, 10), 2};
    case BF:
        return (struct lane){to_ieee(a, 8, 7), 2};
    case F8:
        return (struct lane){to_f8(to_ieee(a, 5, 10)), 2};
    default:
        break;
    }
    const bool negated = strcmp(name, "vneg") == 0 || (strcmp(name, "vabs") == 0 && is_negative(a));
    return normalized(qf, negated ? opposite(a) : a);
}

/* Whether the words of the result are halves of lanes. */
static bool writes_halves(const struct form *form)
{
    return is_half(form->result) || (form->result == W && is_half(form->types[0]));
}

static struct lane wanted(const struct form *form, const struct record *record, int upper, int word)
{
    const int pairs = form->pair ? 2 : 1;
    if (!writes_halves(form)) {
        return computed(form, record, word * pairs + upper);
    }
    const struct lane even = computed(form, record, 2 * word * pairs + upper);
    const struct lane odd = computed(form, record, (2 * word + 1) * pairs + upper);
    return (struct lane){even.bits | odd.bits << 16, even.more | odd.more << 2};
}

static void show(const struct form *form, const struct record *record, int word, struct lane is,
                 struct lane wants)
{
    printf("%s u %08x:%x uu %08x:%x v %08x:%x r %08x: %08x:%x, not %08x:%x\n", form->syntax,
           record->u[word], joined_bits(record->more[0] + 4 * word), record->uu[word],
           joined_bits(record->more[1] + 4 * word), record->v[word],
           joined_bits(record->more[2] + 4 * word), record->scalar, is.bits, is.more, wants.bits,
           wants.more);
}

static int check(const char *in, const char *out)
{
    static struct record record;
    static struct result result;
    FILE *inputs = fopen(in, "r"), *results = fopen(out, "r");
    long compared = 0, wrong = 0;
    if (inputs == NULL || results == NULL) {
        perror(in);
        return 1;
    }
    while (fread(&record, sizeof record, 1, inputs) == 1) {
        const struct form *form = forms;
        if (fread(&result, sizeof result, 1, results) != 1) {
            fprintf(stderr, "%s is too short\n", out);
            return 1;
        }
        while (form->number != record.number) {
            form++;
        }
        for (int upper = 0; upper < (form->pair ? 2 : 1); upper++) {
            const uint32_t *words = upper != 0 ? result.v9 : result.v8;
            const uint8_t *bytes = upper != 0 ? result.more9 : result.more8;
            for (int word = 0; word < LANES; word++, compared++) {
                const struct lane wants = wanted(form, &record, upper, word);
                const struct lane is = {words[word], joined_bits(bytes + 4 * word)};
                if ((is.bits != wants.bits || is.more != wants.more) && wrong++ < SHOWN) {
                    show(form, &record, word, is, wants);
                }
            }
        }
    }
    printf("%ld %ld\n", compared, wrong);
    return 0;
}

int main(int count, char **arguments)
{
    if (count == 5 && strcmp(arguments[1], "make") == 0) {
        read_forms(arguments[2]);
        state = strtoull(arguments[4], NULL, 10) * 0x9e3779b97f4a7c15ull + 1;
        make(atoi(arguments[3]));
        return 0;
    }
    if (count == 5 && strcmp(arguments[1], "check") == 0) {
        read_forms(arguments[2]);
        return check(arguments[3], arguments[4]);
    }
    return 2;
}
