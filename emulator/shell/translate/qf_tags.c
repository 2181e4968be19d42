/* qf_tags.c: finds instructions that lose qf numbers, or take them for others, while they are executed.
 *
 * From v79 on, a qf number has bits that only instructions of qf read and write. All others read the words
 * of a vector alone, and what they write has none of these bits. Tags are followed by registers, not by
 * memory: a store of a number is reported itself. */
#include "qf_tags.h"

#include <pthread.h>
#include <string.h>

#include "calls.h"
#include "counts.h"
#include "core.h"
#include "qf_steps.h"
#include "thunk_area.h"
#include "thunk_code.h"

bool qf_tags_are_kept(void)
{
    return shell_facts()->strict != STRICT_OFF && shell_facts()->arch >= 0x79;
}

/* ---- tags ---- */

struct tag {
    uint32_t writer; /* the address of a packet; 0: what is written is nothing of these */
    uint32_t mover;  /* of the packet that has moved it; 0: none */
    enum kind kind;
};
extern _Thread_local struct tag qf_tags[32];
_Thread_local struct tag qf_tags[32];

/* A step, if its predicate says so; what it moves is not in its reads[AS_OTHER]. As words, because it is in the
 * code of a thunk. */
struct tagged_step {
    struct step step;
    uint32_t is_conditional, predicate, inverted;
    uint32_t is_last; /* it reads what the packet has written */
};
struct tagged_packet {
    uint32_t address, count;
    struct tagged_step steps[];
};

#define PAIRS_MAX 100u

static struct {
    pthread_mutex_t lock;
    struct {
        uint32_t writer, reader;
        const char *problem;
    } seen[PAIRS_MAX];
    size_t count, wrong;
} pairs = {.lock = PTHREAD_MUTEX_INITIALIZER};

static const char *problem_of(const struct tag *tag, enum reading reading)
{
    const bool is_qf = reading == AS_QF32 || reading == AS_QF16;
    switch (tag->kind) {
    case QF32:
    case QF16:
        if (reading == AS_STORED) {
            return "a qf number is stored: memory has 32 of the 36 bits of each word";
        }
        if (reading == AS_OTHER) {
            return "a qf number is read as something else";
        }
        return (reading == AS_QF32) != (tag->kind == QF32) ? "a qf number is read in another width"
               : tag->mover != 0
                   ? "a qf number was copied, which drops 4 of the 36 bits of each word"
                   : NULL;
    case IEEE:
        return is_qf ? "a number in sf or hf is read as qf" : NULL;
    case RESTORED:
        return is_qf ? "the bits of vsetqfext are read without words: vmerge adds them" : NULL;
    case UNTYPED: /* see qf_values.c */
    case MERGED:
    case KINDS:
        break;
    }
    return NULL;
}

static void add_pair(const char *problem, bool is_wrong, const struct tag *tag, uint32_t reader)
{
    pthread_mutex_lock(&pairs.lock);
    bool is_new = pairs.count < (is_wrong ? PAIRS_MAX : PAIRS_MAX / 2); /* errors have a place */
    for (size_t i = 0; i < pairs.count; i++) {
        is_new = is_new && !(pairs.seen[i].writer == tag->writer &&
                             pairs.seen[i].reader == reader && pairs.seen[i].problem == problem);
    }
    if (is_new) {
        pairs.seen[pairs.count].writer = tag->writer;
        pairs.seen[pairs.count].reader = reader;
        pairs.seen[pairs.count++].problem = problem;
        pairs.wrong += is_wrong;
        report_pair(is_wrong, problem, (uintptr_t[]){reader, tag->writer, tag->mover});
    }
    pthread_mutex_unlock(&pairs.lock);
}

static void find(const struct tag *tag, enum reading reading, uint32_t reader)
{
    const char *problem = problem_of(tag, reading);
    if (problem != NULL) {
        const bool is_copy = (reading == AS_QF32 && tag->kind == QF32) ||
                             (reading == AS_QF16 && tag->kind == QF16);
        add_pair(problem, !is_copy, tag, reader);
    }
}

void qf_tags_value(uint32_t reader, const char *problem)
{
    add_pair(problem, false, &(struct tag){.writer = 0}, reader);
}

bool qf_tags_untyped(unsigned vector, uint32_t reader, const char *problem)
{
    const struct tag *tag = &qf_tags[vector];
    const bool is_untyped = tag->writer != 0 && tag->kind == UNTYPED;
    if (is_untyped) {
        add_pair(problem, false, tag, reader);
    }
    return is_untyped;
}

void qf_tags_check(void)
{
    pthread_mutex_lock(&pairs.lock);
    const size_t wrong = pairs.wrong;
    pthread_mutex_unlock(&pairs.lock);
    if (wrong > 0) {
        char words[128];
        struct text text = text_start(words, sizeof words);
        text_add(&text, "numbers in qf were lost or misread at %u pair%s of places",
                 (unsigned)wrong, wrong == 1 ? "" : "s");
        shell_stop("qf", 0, words);
    }
}

static bool is_executed(const struct tagged_step *step)
{
    const bool predicate = (thunk_area.control[0] >> (8 * step->predicate) & 1u) != 0;
    return !step->is_conditional || predicate != (step->inverted != 0);
}

static void read_vectors(const struct tag *tags, const struct step *step, uint32_t reader)
{
    for (unsigned reading = 0; reading < READINGS; reading++) {
        for (uint32_t left = step->reads[reading]; left != 0; left &= left - 1) {
            find(&tags[__builtin_ctz(left)], (enum reading)reading, reader);
        }
    }
}

static void write_vectors(const struct tag *before, const struct step *step, uint32_t writer)
{
    struct tag moved = {.writer = 0};
    for (uint32_t left = step->moved_from; left != 0 && moved.writer == 0; left &= left - 1) {
        moved = before[__builtin_ctz(left)];
        moved.mover = moved.writer == 0 ? 0 : writer;
    }
    for (unsigned kind = 0; kind < KINDS; kind++) {
        const struct tag tag = kind == MERGED ? (struct tag){.writer = 0}
                               : kind != UNTYPED || moved.writer == 0
                                   ? (struct tag){writer, 0, (enum kind)kind}
                                   : moved;
        for (uint32_t left = step->writes[kind]; left != 0; left &= left - 1) {
            qf_tags[__builtin_ctz(left)] = tag;
        }
    }
}

/* Called before a packet is executed. */
void qf_tags_packet(const struct tagged_packet *packet);
void qf_tags_packet(const struct tagged_packet *packet)
{
    struct tag before[32];
    counts_pause();
    memcpy(before, qf_tags, sizeof before);
    for (uint32_t i = 0; i < packet->count; i++) {
        const struct tagged_step *step = &packet->steps[i];
        if (is_executed(step)) {
            read_vectors(step->is_last ? qf_tags : before, &step->step, packet->address);
            write_vectors(before, &step->step, packet->address);
        }
    }
    counts_resume();
}

/* ---- thunks ---- */

/* Returns the vectors of which a store of a new value stores one, which instructions of qf write. */
static struct step step_of_new_value(const uint32_t *packet, size_t store)
{
    unsigned back = packet[store] >> 1 & 3u; /* as many vector instructions are between */
    size_t from = store;
    while (from > 0 && back > 0) {
        back -= is_vector(packet[--from]);
    }
    const struct step step = step_of(packet[from]);
    return (struct step){.reads[AS_STORED] = step.writes[QF32] | step.writes[QF16]};
}

static bool is_conditional(uint32_t word)
{
    return (word >> 27 == 5 && form_of(word) == NULL && (word >> 23 & 1u) != 0 &&
            registers_read(word).q == 0) ||
           extended_by(word).perhaps != 0;
}

/* Returns what a word does with the tags that matter. */
static struct tagged_step tagged_step_of(const uint32_t *packet, size_t at,
                                         const struct memory_use *tags, uint32_t forwarded)
{
    const uint32_t word = packet[at];
    struct tagged_step tagged = {.step = stores_new_value(word) ? step_of_new_value(packet, at)
                                                                : step_of(word)};
    struct step *step = &tagged.step;
    tagged.is_last = stores_new_value(word);
    for (unsigned i = 0; !tagged.is_last && i < READINGS; i++) {
        step->reads[i] &= tags->loaded & ~forwarded;
    }
    step->reads[AS_STORED] &= ~tags->saved;
    step->moved_from &= step->reads[AS_OTHER];
    step->reads[AS_OTHER] &= ~step->moved_from;
    if (is_conditional(word)) {
        bool inverted;
        tagged.is_conditional = 1;
        tagged.predicate = condition_of(word, &inverted);
        tagged.inverted = inverted;
    }
    return tagged;
}

static bool is_combination(uint32_t word)
{
    const struct form *form = form_of(word);
    return form != NULL && strstr(form->syntax, "vcombine(") != NULL;
}

/* Makes two steps of a combination, of which each moves one vector. */
static void split(uint32_t word, struct tagged_step *steps)
{
    const uint32_t odd = 1u << (word & 30u) << 1, upper = 1u << (word >> 8 & 31u),
                   lower = 1u << (word >> 16 & 31u), moved = steps->step.moved_from;
    steps[1] = steps[0];
    steps[0].step.moved_from = moved & upper;
    steps[0].step.writes[UNTYPED] &= odd;
    steps[1].step.moved_from = moved & lower;
    steps[1].step.writes[UNTYPED] &= ~odd;
}

CALLED(call_qf_tags, qf_tags_packet)

void qf_tags_write(struct code *code, const uint32_t *packet, size_t size, uint32_t from,
                   const struct memory_use *tags)
{
    struct tagged_step steps[2 * PACKET_WORDS_MAX];
    uint32_t count = 0, forwarded = 0, stored = 0;
    if (!qf_tags_are_kept()) {
        return;
    }
    for (size_t i = 0; i < size; i++) {
        forwarded |= is_vector(packet[i]) ? extended_by(packet[i]).loaded : 0;
    }
    for (size_t i = 0; i < size; i++) {
        if (is_vector(packet[i])) {
            steps[count] = tagged_step_of(packet, i, tags, forwarded);
            stored |= steps[count].is_last ? steps[count].step.reads[AS_STORED] : 0;
            count++;
            if (is_combination(packet[i])) {
                split(packet[i], steps + count - 1);
                count++;
            }
        }
    }
    if ((tags->loaded | tags->stored | tags->reset | stored) == 0) {
        return;
    }
    const uint32_t at = code->address + (uint32_t)code->used * 4 + 4;
    code_jump(code, at + 8 + count * (uint32_t)sizeof *steps);
    code_put(code, from);
    code_put(code, count);
    for (size_t i = 0; i < count; i++) {
        for (unsigned kind = 0; kind < KINDS; kind++) {
            steps[i].step.writes[kind] &= tags->stored | tags->reset | stored;
        }
        code_data(code, &steps[i], sizeof steps[i]);
    }
    put_enter(code);
    code_constant(code, 0, at);
    code_call(code, address_of((const void *)(uintptr_t)call_qf_tags));
    put_leave(code);
}
