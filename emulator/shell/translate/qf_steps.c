/* qf_steps.c: finds what instructions do with qf numbers, and where tags of these are needed. */
#include "qf_steps.h"

#include <string.h>

/* ---- instructions ---- */

struct operand {
    uint32_t vectors;
    enum kind kind;
    bool read, written;
    bool bits_only; /* of its vector it reads the extension bits */
};

static enum kind kind_of(const char *type, bool written)
{
    static const struct {
        const char *type;
        enum kind kind;
    } kinds[] = {{"qf32", QF32}, {"qf16", QF16}, {"sf", IEEE}, {"hf", IEEE}, {"bf", IEEE}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (strncmp(type, kinds[i].type, strlen(kinds[i].type)) == 0) {
            return kinds[i].kind;
        }
    }
    return written && strncmp(type, "x=", 2) == 0 ? RESTORED : UNTYPED;
}

/* Whether an instruction gives the bits of vsetqfext their words. */
static bool merges(uint32_t word)
{
    const struct form *form = form_of(word);
    return form != NULL && strstr(form->syntax, "=vmerge(") != NULL;
}

/* Stores the operands of an instruction that are vectors: "Vd.qf32", "Vuu", … Returns their number. */
static size_t operands_of(uint32_t word, struct operand *operands)
{
    const struct form *form = form_of(word);
    const char *syntax = form == NULL ? "" : form->syntax;
    size_t count = 0;
    for (size_t i = 0; form != NULL && i < FIELDS_MAX; i++) {
        const struct field field = form->fields[i];
        if ((field.kind & (FIELD_V | FIELD_PAIR)) == 0) {
            continue;
        }
        syntax = strchr(syntax, 'V') + 1;
        const char *type = syntax + strspn(syntax, "dsuvwxy");
        const bool written = (field.kind & FIELD_WRITE) != 0;
        operands[count++] = (struct operand){
            .vectors = (field.kind & FIELD_PAIR) != 0 ? 3u << (word >> field.at & 30u)
                                                      : 1u << (word >> field.at & 31u),
            .kind = *type == '.' ? kind_of(type + 1, written) : UNTYPED,
            .read = (field.kind & FIELD_READ) != 0 && *syntax != 'd', /* kept by a predicate */
            .written = written,
            .bits_only = !written && (field.kind & FIELD_X) != 0 && strncmp(type, ".x", 2) == 0,
        };
    }
    return count;
}

/* Whether an instruction writes what it reads, perhaps in other lanes. */
static bool moves(uint32_t word)
{
    static const char *const names[] = {"vcombine(", "vmux(",   "vswap(",   "vror(",  "valign",
                                        "vlalign",   "vdelta(", "vrdelta(", "vshuff", "vdeal"};
    const struct form *form = form_of(word);
    const char *result = form == NULL ? NULL : strchr(form->syntax, '=');
    const char *name = form == NULL ? "" : result == NULL ? form->syntax : result + 1;
    bool found = strcmp(name, "Vu") == 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        found = found || strncmp(name, names[i], strlen(names[i])) == 0;
    }
    return found;
}

struct step step_of(uint32_t word)
{
    struct operand operands[FIELDS_MAX];
    const size_t count = operands_of(word, operands);
    struct step step = {.moved_from = 0};
    const uint32_t read = registers_read(word).v; /* none where a vector is cleared */
    if (form_of(word) == NULL) {
        step.reads[AS_STORED] = read;
        step.writes[UNTYPED] = vectors_changed(word);
    }
    for (size_t i = 0; i < count; i++) {
        const struct operand *operand = &operands[i];
        if (operand->read && !operand->bits_only) {
            const enum reading reading = operand->kind == QF32   ? AS_QF32
                                         : operand->kind == QF16 ? AS_QF16
                                                                 : AS_OTHER;
            step.reads[reading] |= operand->vectors & read;
        }
        if (operand->written) {
            step.writes[operand->kind] |= operand->vectors;
        }
    }
    if (merges(word)) {
        step.writes[MERGED] = step.writes[UNTYPED];
        step.writes[UNTYPED] = 0;
    }
    step.moved_from = moves(word) ? step.reads[AS_OTHER] : 0;
    return step;
}

/* ---- where tags are needed ---- */

/* Returns what extended_by does, of no extension bits. */
static struct extended use_of(uint32_t word, const struct step *step)
{
    struct extended use = extended_by(word);
    const struct form *form = form_of(word);
    if (form != NULL && strstr(form->syntax, "vgetqfext") != NULL) {
        use.saved = use.read;
    }
    use.reset |= use.written;
    use.read = use.written = 0;
    use.moved_from = step->moved_from;
    use.moved = step->moved_from != 0 ? step->writes[UNTYPED] : 0;
    return use;
}

static uint32_t reads_but(const struct step *step, enum reading reading)
{
    uint32_t read = 0;
    for (unsigned i = 0; i < READINGS; i++) {
        read |= i == reading ? 0 : step->reads[i];
    }
    return read;
}

/* Numbers in qf32 that are read as something else. */
static struct extended uses_of_qf32(uint32_t word)
{
    const struct step step = step_of(word);
    struct extended use = use_of(word, &step);
    use.written = step.writes[QF32];
    use.read = reads_but(&step, AS_QF32);
    return use;
}

static struct extended uses_of_qf16(uint32_t word)
{
    const struct step step = step_of(word);
    struct extended use = use_of(word, &step);
    use.written = step.writes[QF16];
    use.read = reads_but(&step, AS_QF16);
    return use;
}

/* What is no qf number, and is read as one. */
static struct extended uses_of_others(uint32_t word)
{
    const struct step step = step_of(word);
    struct extended use = use_of(word, &step);
    use.written = step.writes[IEEE] | step.writes[RESTORED];
    use.read = step.reads[AS_QF32] | step.reads[AS_QF16];
    return use;
}

/* What may be a number in any format. */
static struct extended uses_of_untyped(uint32_t word)
{
    struct extended use = uses_of_others(word);
    use.written = step_of(word).writes[UNTYPED];
    use.moved = use.moved_from = 0;
    return use;
}

/* What was moved, and is read as a qf number. */
static struct extended uses_of_moved(uint32_t word)
{
    struct extended use = uses_of_others(word);
    use.written = use.moved;
    use.moved = use.moved_from = 0;
    return use;
}

struct extended (*const qf_tag_uses[QF_TAG_USES])(uint32_t word) = {
    uses_of_qf32, uses_of_qf16, uses_of_others, uses_of_moved, uses_of_untyped};
