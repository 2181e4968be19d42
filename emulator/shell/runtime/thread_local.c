/* thread_local.c: the thread-local variables of modules, __tls_get_addr.
 *
 * Each thread has a list of blocks, one for each module whose variables it has used. A block is
 * allocated at the first use. */
#include "thread_local.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "exit_functions.h"
#include "runtime.h"

struct variables {
    uint32_t size; /* 0: the entry is free */
    uint32_t alignment;
    const void *values;
    uint32_t values_size;
    uint32_t generation; /* increases each time the entry is used for another module */
};

struct block {
    struct block *next;
    uint32_t id, generation;
    uint8_t *bytes; /* aligned */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct variables table[THREAD_LOCAL_MODULES + 1]; /* entry 0 is not used */
static _Thread_local struct block *blocks;
static pthread_key_t ending;

static void end_thread(void *unused)
{
    (void)unused;
    thread_local_end();
}

__attribute__((constructor)) static void initialize(void)
{
    pthread_key_create(&ending, end_thread);
}

uint32_t thread_local_reserve(uint32_t size, uint32_t alignment)
{
    uint32_t id = 0;
    pthread_mutex_lock(&lock);
    for (uint32_t i = 1; size != 0 && id == 0 && i <= THREAD_LOCAL_MODULES; i++) {
        if (table[i].size == 0) {
            table[i].size = size;
            table[i].alignment = alignment;
            table[i].generation++;
            id = i;
        }
    }
    pthread_mutex_unlock(&lock);
    return id;
}

void thread_local_start(uint32_t id, const void *values, uint32_t size)
{
    table[id].values = values;
    table[id].values_size = size;
}

void thread_local_release(uint32_t id)
{
    pthread_mutex_lock(&lock);
    table[id].size = 0;
    pthread_mutex_unlock(&lock);
}

static void block_free(struct block *block)
{
    free(block->bytes);
    free(block);
}

/* Makes the calling thread's block of a module, and frees the block of an earlier module of that
 * id. */
static struct block *block_make(uint32_t id)
{
    pthread_mutex_lock(&lock);
    const struct variables variables = id <= THREAD_LOCAL_MODULES ? table[id] : table[0];
    pthread_mutex_unlock(&lock);
    if (variables.size == 0) {
        die("the skel uses thread-local variables of a library that is no longer loaded");
    }
    for (struct block **at = &blocks; *at != NULL; at = &(*at)->next) {
        if ((*at)->id == id) {
            struct block *old = *at;
            *at = old->next;
            block_free(old);
            break;
        }
    }
    struct block *block = malloc(sizeof *block);
    uint32_t alignment = variables.alignment < 16 ? 16 : variables.alignment;
    uint32_t size = (variables.size + alignment - 1) & ~(alignment - 1);
    uint8_t *bytes = aligned_alloc(alignment, size);
    if (block == NULL || bytes == NULL) {
        die("no memory for thread-local variables");
    }
    memcpy(bytes, variables.values, variables.values_size);
    memset(bytes + variables.values_size, 0, size - variables.values_size);
    *block = (struct block){
        .next = blocks, .id = id, .generation = variables.generation, .bytes = bytes};
    blocks = block;
    pthread_setspecific(ending, block); /* so that end_thread is called */
    return block;
}

void *thread_local_address(uint32_t id, uint32_t offset)
{
    struct block *block = blocks;
    while (block != NULL && block->id != id) {
        block = block->next;
    }
    if (block == NULL || block->generation != table[id].generation) {
        block = block_make(id);
    }
    return block->bytes + offset;
}

void thread_local_end(void)
{
    exit_functions_end_thread();
    while (blocks != NULL) {
        struct block *block = blocks;
        blocks = block->next;
        block_free(block);
    }
}

/* What compilers pass: two words of the module's global offset table. */
struct index {
    uint32_t module, offset;
};

static void *get_address(const struct index *index)
{
    return thread_local_address(index->module, index->offset);
}

const struct shell_symbol thread_local_symbols[] = {
    EXPORT_AS("__tls_get_addr", get_address),
    EXPORT_END,
};
