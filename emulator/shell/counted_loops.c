/* counted_loops.c: how many packets the rounds of loops have in which threads wait. */
#include "counted_loops.h"

#include <pthread.h>
#include <string.h>

#define LOOPS_MAX 64 /* of further ones it is not known how long a round is */
#define ROWS_BEFORE_MAX 8

/* A loop that waits. */
static struct loop {
    uint32_t address;
    bool is_known; /* what its shortest round has executed: */
    struct counted round;
    struct {
        struct row *row;
        unsigned rounds; /* that were executed before it was known, and are in the row as work */
    } before[ROWS_BEFORE_MAX];
} loops[LOOPS_MAX];
static pthread_mutex_t loops_lock = PTHREAD_MUTEX_INITIALIZER;

/* Returns a loop, or NULL if there are too many. The caller holds the lock. */
static struct loop *loop_at(uint32_t address)
{
    for (size_t i = 0; i < LOOPS_MAX; i++) {
        if (loops[i].address == 0 || loops[i].address == address) {
            loops[i].address = address;
            return &loops[i];
        }
    }
    return NULL;
}

/* Moves the rounds of a loop that are in rows as work. */
static void move_rounds_before(struct loop *loop)
{
    for (size_t i = 0; i < ROWS_BEFORE_MAX && loop->before[i].row != NULL; i++) {
        const uint64_t rounds = loop->before[i].rounds;
        struct counted less = {0};
        counted_add(&less, &loop->round, -(int64_t)rounds);
        row_add(loop->before[i].row, &less, rounds * loop->round.packets, false,
                -rounds * ROUND_PACKETS);
    }
    memset(loop->before, 0, sizeof loop->before);
}

bool loop_round(uint32_t address, const struct counted *round, struct counted *shortest)
{
    pthread_mutex_lock(&loops_lock);
    struct loop *loop = loop_at(address);
    if (loop != NULL && round != NULL &&
        (!loop->is_known || round->packets < loop->round.packets)) {
        loop->round = *round;
    }
    if (loop != NULL && round != NULL && !loop->is_known) {
        loop->is_known = true;
        move_rounds_before(loop);
    }
    const bool is_known = loop != NULL && loop->is_known;
    if (is_known) {
        *shortest = loop->round;
    }
    pthread_mutex_unlock(&loops_lock);
    return is_known;
}

void loop_round_before(uint32_t address, struct row *row)
{
    pthread_mutex_lock(&loops_lock);
    struct loop *loop = loop_at(address);
    for (size_t i = 0; loop != NULL && i < ROWS_BEFORE_MAX; i++) {
        if (loop->before[i].row == NULL || loop->before[i].row == row) {
            loop->before[i].row = row;
            loop->before[i].rounds++;
            break;
        }
    }
    if (loop != NULL && loop->is_known) { /* by another thread, meanwhile */
        move_rounds_before(loop);
    }
    pthread_mutex_unlock(&loops_lock);
}
