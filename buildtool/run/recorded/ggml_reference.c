/* ggml_reference.c: answers messages of ggml-hexagon as ggml's CPU backend computes their operators
 * (`diverge --reference ggml`).
 *
 * It is compiled with the headers of the project's own ggml, and OPERATORS, the names of operators by
 * their numbers in htp-ops.h.  Operators that were fused are computed one after another.  A message
 * with an operator, or with tiles of weights, that only the backend knows has no answer. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "ggml-cpu.h"
#include "ggml.h"
#include "htp-ops.h"
#include "reference.h"

#define CONTEXT_SIZE (1u << 20)

struct buffer { /* dspqueue_buffer */
    uint32_t fd, size, offset, flags;
    uint64_t address;
};

#define NAME(number, name) [number] = #name,
static const char *const operator_names[] = {OPERATORS(NAME)};

static uint8_t *memory_of[HTP_OP_MAX_BUFS];
static void *copies[HTP_OP_MAX_INPUTS + 2 * HTP_OP_MAX_OUTPUTS]; /* of an operator */
static int copy_count;

static enum ggml_op operator_of(const char *name)
{
    const char *const unary = "UNARY_", *const gated = "GLU_";
    const int is_unary = strncmp(name, unary, strlen(unary)) == 0;
    if (strncmp(name, gated, strlen(gated)) == 0) {
        return GGML_OP_GLU; /* which one it is, is its first parameter */
    }
    if (strcmp(name, "SOFTMAX") == 0) {
        return GGML_OP_SOFT_MAX;
    }
    for (int op = 0; op < GGML_OP_COUNT; op++) {
        if (strcmp(ggml_op_name(op), is_unary ? name + strlen(unary) : name) == 0) {
            return op;
        }
    }
    return is_unary ? GGML_OP_UNARY : GGML_OP_COUNT;
}

/* Weights in the blocks of ggml, to be freed; NULL for types whose tiles are not known here.
 *
 * The backend puts 32 rows of 32 numbers into a tile: pairs of columns one after another, with the
 * numbers of all rows, and the scales of the rows at its end (repack_q8_0_tiled and
 * repack_q4_0_tiled in ggml-hexagon.cpp of ggml 0.25.3). */
static uint8_t *blocks_of(const struct htp_tensor *told, const uint8_t *tiles)
{
    enum { SIDE = 32, SCALE = 2 };
    const int is_byte = told->type == HTP_TYPE_Q8_0;
    const size_t quants = is_byte ? SIDE : SIDE / 2, block = SCALE + quants, tile = SIDE * block;
    const size_t across = told->ne[0] / SIDE, rows = told->ne[1];
    const size_t slices = (size_t)told->ne[2] * told->ne[3];
    const size_t slice = (rows + SIDE - 1) / SIDE * across * tile;
    uint8_t *blocks = malloc(slices * rows * across * block + 1), *next = blocks;
    if ((!is_byte && told->type != HTP_TYPE_Q4_0) || told->ne[0] % SIDE != 0 || blocks == NULL ||
        slices * slice > told->size) {
        free(blocks);
        return NULL;
    }
    for (size_t at = 0; at < slices * rows * across; at++, next += block) {
        const size_t row = at / across % rows, in_tile = row % SIDE;
        const uint8_t *from = tiles + at / across / rows * slice +
                              (row / SIDE * across + at % across) * tile;
        memcpy(next, from + SIDE * quants + in_tile * SCALE, SCALE);
        for (size_t i = 0; i < quants; i++) {
            if (is_byte) {
                next[SCALE + i] = from[(i / 2 * SIDE + in_tile) * 2 + i % 2];
            } else { /* a byte of ggml's has the numbers i and i + 16, one of a tile neighbours */
                const int shift = i % 2 * 4;
                const uint8_t low = from[i / 2 * SIDE + in_tile] >> shift & 15;
                const uint8_t high = from[(i + quants) / 2 * SIDE + in_tile] >> shift & 15;
                next[SCALE + i] = (uint8_t)(low | high << 4);
            }
        }
    }
    return blocks;
}

static struct ggml_tensor *tensor_of(struct ggml_context *context, const struct htp_tensor *told,
                                     const struct htp_buf_desc *buffers, uint32_t count)
{
    int64_t shape[HTP_OP_MAX_DIMS];
    if (told->bi >= count || told->type >= GGML_TYPE_COUNT || told->size > buffers[told->bi].size ||
        told->data > buffers[told->bi].size - told->size) {
        return NULL;
    }
    for (int i = 0; i < HTP_OP_MAX_DIMS; i++) {
        shape[i] = told->ne[i];
    }
    struct ggml_tensor *tensor = ggml_new_tensor(context, (enum ggml_type)told->type,
                                                 HTP_OP_MAX_DIMS, shape);
    tensor->data = memory_of[told->bi] + told->data;
    if (told->flags & HTP_TENSOR_REPACK) {
        tensor->data = copies[copy_count++] = blocks_of(told, tensor->data);
        return tensor->data != NULL ? tensor : NULL;
    }
    for (int i = 0; i < HTP_OP_MAX_DIMS; i++) {
        tensor->nb[i] = told->nb[i];
    }
    return tensor;
}

static void compute(struct ggml_context *context, struct ggml_tensor *result)
{
    struct ggml_cgraph *graph = ggml_new_graph(context);
    ggml_build_forward_expand(graph, result);
    struct ggml_cplan plan = ggml_graph_plan(graph, 1, NULL);
    plan.work_data = malloc(plan.work_size + 1);
    (void)ggml_graph_compute(graph, &plan);
    free(plan.work_data);
}

/* Computes an operator; 0 if that is not possible. */
static int computed(struct ggml_context *context, const struct htp_op_desc *told,
                    struct ggml_tensor **sources, int inputs, struct ggml_tensor **results,
                    int outputs)
{
    const size_t known = sizeof operator_names / sizeof *operator_names;
    const char *name = told->opcode < known ? operator_names[told->opcode] : NULL;
    if (name == NULL || outputs == 0 || told->flags != 0) {
        return 0;
    }
    const size_t length = strlen(name);
    const char *const many = "_NX";
    const int is_many = length > strlen(many) && strcmp(name + length - strlen(many), many) == 0;
    char plain[64] = "";
    if (length >= sizeof plain || (is_many && outputs >= inputs)) {
        return 0;
    }
    memcpy(plain, name, length);
    enum ggml_op second = GGML_OP_NONE;
    if (is_many) { /* some matrices, and what each of them is multiplied by */
        plain[length - strlen(many)] = '\0';
    } else if (strcmp(name, "RMS_NORM_MUL") == 0 && inputs == 2) {
        strcpy(plain, "RMS_NORM");
        second = GGML_OP_MUL;
    } else if (strcmp(name, "MUL_MAT_ADD") == 0 && inputs == 3) {
        strcpy(plain, "MUL_MAT");
        second = GGML_OP_ADD;
    }
    const enum ggml_op first = operator_of(plain);
    if (first == GGML_OP_COUNT || (outputs > 1 && !is_many) || inputs > GGML_MAX_SRC) {
        return 0;
    }
    for (int i = 0; i < outputs; i++) {
        struct ggml_tensor *result = results[i], *node = result;
        if (result == NULL) {
            return 0;
        }
        const int of_first = second != GGML_OP_NONE ? inputs - 1 : inputs;
        if (second != GGML_OP_NONE) {
            node = ggml_new_tensor(context, result->type, HTP_OP_MAX_DIMS, result->ne);
            node->data = copies[copy_count++] = malloc(ggml_nbytes(node));
            result->op = second;
            result->src[0] = node;
            result->src[1] = sources[inputs - 1];
        }
        node->op = first;
        memcpy(node->op_params, told->params, sizeof told->params);
        if (is_many) {
            node->src[0] = sources[i];
            for (int each = outputs; each < inputs; each++) {
                node->src[each - outputs + 1] = sources[each];
            }
        } else {
            memcpy(node->src, sources, (size_t)of_first * sizeof(struct ggml_tensor *));
        }
        compute(context, result);
    }
    return 1;
}

static int computed_all(const struct htp_opbatch_req *request, const struct htp_buf_desc *buffers,
                        const struct htp_tensor *tensors, const struct htp_op_desc *operators)
{
    int done = 1;
    for (uint32_t i = 0; i < request->n_ops && done; i++) {
        struct ggml_tensor *sources[HTP_OP_MAX_INPUTS] = {0}, *results[HTP_OP_MAX_OUTPUTS] = {0};
        int inputs = 0, outputs = 0;
        struct ggml_context *context = ggml_init(
            (struct ggml_init_params){CONTEXT_SIZE, NULL, true});
        for (int each = 0; each < HTP_OP_MAX_INPUTS && done; each++) {
            if (operators[i].src[each] < request->n_tensors) {
                sources[each] = tensor_of(context, &tensors[operators[i].src[each]], buffers,
                                          request->n_bufs);
                done = sources[each] != NULL;
                inputs = each + 1;
            }
        }
        for (int each = 0; each < HTP_OP_MAX_OUTPUTS && done; each++) {
            if (operators[i].dst[each] < request->n_tensors) {
                results[each] = tensor_of(context, &tensors[operators[i].dst[each]], buffers,
                                          request->n_bufs);
                done = results[each] != NULL;
                outputs = each + 1;
            }
        }
        done = done && computed(context, &operators[i], sources, inputs, results, outputs);
        ggml_free(context);
        while (copy_count > 0) {
            free(copies[--copy_count]);
        }
    }
    return done;
}

int buildtool_reference_answer(const uint8_t *message, uint32_t length, const void *list,
                               uint32_t count, uint8_t *answer, uint32_t room)
{
    struct htp_opbatch_req request;
    struct htp_opbatch_rsp response = {.status = HTP_STATUS_OK};
    const struct buffer *described = list;
    if (length != sizeof request || count != 1 || described->address == 0 ||
        room < sizeof response) {
        return 0;
    }
    memcpy(&request, message, length);
    const uint8_t *at = (const uint8_t *)(uintptr_t)described->address;
    const struct htp_buf_desc *buffers = (const void *)at;
    const struct htp_tensor *tensors = (const void *)(buffers + request.n_bufs);
    const struct htp_op_desc *operators = (const void *)(tensors + request.n_tensors);
    if (request.n_bufs > HTP_OP_MAX_BUFS || request.n_tensors > HTP_OP_MAX_TENSORS ||
        request.n_ops > HTP_OP_MAX_TENSORS ||
        (size_t)((const uint8_t *)(operators + request.n_ops) - at) > described->size) {
        return 0;
    }
    int done = 1;
    for (uint32_t i = 0; i < request.n_bufs; i++) {
        memory_of[i] = mmap(NULL, buffers[i].size, PROT_READ | PROT_WRITE, MAP_SHARED,
                            (int)buffers[i].fd, 0);
        done = done && memory_of[i] != MAP_FAILED;
    }
    done = done && computed_all(&request, buffers, tensors, operators);
    for (uint32_t i = 0; i < request.n_bufs; i++) {
        if (memory_of[i] != MAP_FAILED) {
            (void)munmap(memory_of[i], buffers[i].size);
        }
    }
    response.seq = request.seq;
    response.n_bufs = request.n_bufs;
    response.n_tensors = request.n_tensors;
    memcpy(answer, &response, sizeof response);
    return done ? (int)sizeof response : 0;
}
