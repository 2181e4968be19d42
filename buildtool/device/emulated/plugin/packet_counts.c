/* packet_counts.c: a plugin for qemu-hexagon that counts how often the code of skels is executed.
 *
 *   qemu-hexagon -plugin packet_counts.so,out=FILE PROGRAM
 *
 * When the program ends, it appends a line for each block of code outside of the program's own file
 * that was executed:
 *
 *   PID c START END COUNT       addresses of the first packet and behind the last one
 *
 * The declarations are those of API version 1, of QEMU 7.2. Source: its docs/devel/tcg-plugins.rst. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))
#define NO_REGISTERS 0 /* QEMU_PLUGIN_CB_NO_REGS */

typedef uint64_t plugin_id;
struct qemu_plugin_tb;
struct qemu_plugin_insn;

void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id id,
                                           void (*call)(plugin_id, struct qemu_plugin_tb *));
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *block,
                                          void (*call)(unsigned, void *), int flags, void *data);
void qemu_plugin_register_atexit_cb(plugin_id id, void (*call)(plugin_id, void *), void *data);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *block);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *block);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *block, size_t index);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *packet);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *packet);
uint64_t qemu_plugin_end_code(void);

EXPORT int qemu_plugin_version = 1;

/* A translation of a block of code. There can be several of one block. */
struct block {
    struct block *next;
    uint64_t start, end, count;
};

static struct block *blocks;
static char *out;

static void count(unsigned cpu, void *data)
{
    struct block *block = data;
    (void)cpu;
    __atomic_fetch_add(&block->count, 1, __ATOMIC_RELAXED);
}

static void translated(plugin_id id, struct qemu_plugin_tb *translation)
{
    const bool is_skel = qemu_plugin_tb_vaddr(translation) >= qemu_plugin_end_code();
    struct block *block = is_skel ? calloc(1, sizeof *block) : NULL;
    (void)id;
    if (block == NULL) {
        return;
    }
    const struct qemu_plugin_insn *last = qemu_plugin_tb_get_insn(
        translation, qemu_plugin_tb_n_insns(translation) - 1);
    block->start = qemu_plugin_tb_vaddr(translation);
    block->end = qemu_plugin_insn_vaddr(last) + qemu_plugin_insn_size(last);
    block->next = __atomic_load_n(&blocks, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&blocks, &block->next, block, 0, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED)) {
    }
    qemu_plugin_register_vcpu_tb_exec_cb(translation, count, NO_REGISTERS, block);
}

static void ends(plugin_id id, void *data)
{
    FILE *file = fopen(out, "a");
    (void)id;
    (void)data;
    for (struct block *block = blocks; block != NULL && file != NULL; block = block->next) {
        const uint64_t times = __atomic_load_n(&block->count, __ATOMIC_RELAXED);
        if (times > 0) {
            fprintf(file, "%d c %" PRIx64 " %" PRIx64 " %" PRIu64 "\n", (int)getpid(), block->start,
                    block->end, times);
        }
    }
    if (file != NULL) {
        fclose(file);
    }
}

EXPORT int qemu_plugin_install(plugin_id id, const void *information, int count_of_words,
                               char **words)
{
    (void)information;
    if (count_of_words != 1 || strncmp(words[0], "out=", strlen("out=")) != 0) {
        return -1;
    }
    out = strdup(words[0] + strlen("out="));
    if (out == NULL) {
        return -1;
    }
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    qemu_plugin_register_atexit_cb(id, ends, NULL);
    return 0;
}
