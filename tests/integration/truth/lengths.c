/*
 * Calls the sample's DSP side with consistent and inconsistent lengths; prints one
 * line for each call with an unexpected result.
 */
#include <limits.h>
#include <stdio.h>

#include "AEEStdErr.h"
#include "HAP_power.h"
#include "dspqueue.h"
#include "htp_ops.h"
#include "kernels.h"
#include "qurt.h"

static int votes, hmx_votes, has_hmx = 1;

/* Replaces the function of the DSP's shell and counts the votes. */
int HAP_power_set(void *context, HAP_power_request_t *request)
{
    (void)context;
    if (request->type == HAP_power_set_HMX) {
        hmx_votes += request->hmx.power_up ? 1 : -1;
        return has_hmx ? 0 : -3;
    }
    votes += request->type == HAP_power_set_HVX ? (request->hvx.power_up ? 1 : -1) : 100;
    return 0;
}

/* The kernels on HMX, of which only the checks of their arguments are tested here. */
int matmul_f16_hmx(const uint16_t *a, const uint16_t *b, size_t rows, size_t inner, size_t columns,
                   uint16_t *c)
{
    (void)a, (void)b, (void)rows, (void)inner, (void)columns, (void)c;
    return 0;
}

int matmul_u8i8_hmx(const struct hmx_quantized *quantized, size_t rows, size_t inner,
                    size_t columns, uint8_t *c)
{
    (void)quantized, (void)rows, (void)inner, (void)columns, (void)c;
    return 0;
}

/* A thread that cannot be created, and a queue without packets. */
int qurt_thread_create(qurt_thread_t *thread, qurt_thread_attr_t *attributes, void (*entry)(void *),
                       void *argument)
{
    (void)thread, (void)attributes, (void)entry, (void)argument;
    return QURT_EFAILED;
}

int qurt_thread_join(unsigned int thread, int *status)
{
    (void)thread, (void)status;
    return QURT_EFAILED;
}

void qurt_thread_exit(int status)
{
    (void)status;
}

qurt_thread_t qurt_thread_get_id(void)
{
    return 1;
}

int qurt_thread_get_priority(qurt_thread_t thread)
{
    return (int)thread;
}

static int queues;

AEEResult dspqueue_import(uint64_t id, dspqueue_callback_t packets, dspqueue_callback_t errors,
                          void *context, dspqueue_t *queue)
{
    (void)id, (void)packets, (void)errors;
    *queue = context;
    queues++;
    return 0;
}

AEEResult dspqueue_close(dspqueue_t queue)
{
    (void)queue;
    queues--;
    return 0;
}

AEEResult dspqueue_read_noblock(dspqueue_t queue, uint32_t *flags, uint32_t max_buffers,
                                uint32_t *count, struct dspqueue_buffer *buffers,
                                uint32_t max_length, uint32_t *length, uint8_t *message)
{
    (void)queue, (void)flags, (void)max_buffers, (void)count, (void)buffers, (void)max_length;
    (void)length, (void)message;
    return AEE_EWOULDBLOCK;
}

AEEResult dspqueue_write(dspqueue_t queue, uint32_t flags, uint32_t count,
                         struct dspqueue_buffer *buffers, uint32_t length, const uint8_t *message,
                         uint32_t timeout)
{
    (void)queue, (void)flags, (void)count, (void)buffers, (void)length, (void)message;
    (void)timeout;
    return 0;
}

static remote_handle64 handle;
static uint8_t blocks[68 * 3];
static int32_t ints[4];
static float floats[4];

static void expect(int wanted, int code, const char *what)
{
    if (code != wanted)
        printf("%s: 0x%08x, not 0x%08x\n", what, (unsigned)code, (unsigned)wanted);
}

static int add(int a_len, int b_len, int sum_len)
{
    return htp_ops_vec_add_i32(handle, ints, a_len, ints, b_len, ints, sum_len);
}

static int matvec(int rows, int cols, int weights_len, int x_len, int y_len)
{
    return htp_ops_matvec_q8_0(handle, rows, cols, blocks, weights_len, blocks, x_len, floats,
                               y_len);
}

/* Only with lengths that are refused: QEMU does not execute its floating point. */
static int norm(int x_len, int weight_len, int y_len)
{
    return htp_ops_rms_norm_f32(handle, 0, floats, x_len, floats, weight_len, floats, y_len);
}

static int matmul(int rows, int cols, int count, int weights_len, int x_len, int y_len)
{
    return htp_ops_matmul_q4_0(handle, rows, cols, count, blocks, weights_len, blocks, x_len,
                               floats, y_len);
}

static int step(int q_len, int k_len, int v_len, int state_len, int y_len)
{
    return htp_ops_gated_delta_step_f32(handle, floats, q_len, floats, k_len, floats, v_len, 1, 1,
                                        floats, state_len, floats, y_len);
}

static int f16(int rows, int inner, int columns, int a_len, int b_len, int c_len)
{
    static uint16_t halves[16];

    return htp_ops_matmul_f16_hmx(handle, rows, inner, columns, halves, a_len, halves, b_len,
                                  halves, c_len);
}

/* Two rows of three bytes by three rows of two. */
static int u8i8(int scales_len, float first_scale)
{
    const float scales[] = {first_scale, 1};

    return htp_ops_matmul_u8i8_hmx(handle, 2, 3, 2, blocks, 6, 0, (const int8_t *)blocks, 6, scales,
                                   scales_len, 0, blocks, 4);
}

static void check_hmx(void)
{
    expect(0, f16(2, 3, 4, 6, 12, 8), "2x3x4");
    expect(AEE_EBADPARM, f16(2, 3, 4, 5, 12, 8), "short a of a product");
    expect(AEE_EBADPARM, f16(2, 3, 4, 6, 11, 8), "short b of a product");
    expect(AEE_EBADPARM, f16(2, 3, 4, 6, 12, 7), "short c of a product");
    expect(AEE_EBADPARM, f16(2, 0, 4, 0, 0, 8), "a product of nothing");
    expect(AEE_EBADPARM, f16(-2, -3, -4, 6, 12, 8), "negative sizes of a product");
    expect(AEE_EBADPARM, f16(1 << 16, 1 << 16, 1, 0, 1 << 16, 1 << 16), "an a that overflows");
    expect(0, u8i8(2, 0.5f), "2x3x2 bytes");
    expect(AEE_EBADPARM, u8i8(1, 0.5f), "one scale of two");
    expect(AEE_EBADPARM, u8i8(2, 0), "a scale of 0");
    expect(AEE_EBADPARM, u8i8(2, 256), "a scale that is too large");
    expect(AEE_EBADPARM, u8i8(2, __builtin_nanf("")), "a scale that is no number");
}

int main(void)
{
    has_hmx = 0;
    expect(0, htp_ops_open("", &handle), "open without HMX");
    expect(AEE_EUNSUPPORTED, f16(2, 3, 4, 6, 12, 8), "a product without HMX");
    expect(AEE_EUNSUPPORTED, u8i8(2, 0.5f), "bytes without HMX");
    expect(0, htp_ops_close(handle), "close without HMX");
    has_hmx = 1;
    hmx_votes = 0;

    expect(0, htp_ops_open("", &handle), "open");
    check_hmx();
    if (votes != 1)
        puts("open does not vote for HVX");

    expect(0, add(4, 4, 4), "equal lengths");
    expect(0, add(0, 0, 0), "nothing to add");
    expect(AEE_EBADPARM, add(4, 3, 4), "short b");
    expect(AEE_EBADPARM, add(4, 4, 3), "short sum");
    expect(AEE_EBADPARM, add(3, 4, 4), "short a");
    expect(AEE_EBADPARM, add(-1, -1, -1), "negative lengths");

    expect(AEE_EBADPARM, norm(4, 3, 4), "short weight");
    expect(AEE_EBADPARM, norm(4, 4, 3), "short y");
    expect(AEE_EBADPARM, norm(3, 4, 4), "short x");
    expect(AEE_EBADPARM, norm(-1, -1, -1), "negative lengths of a norm");

    expect(0, matvec(3, 33, 3 * 68, 68, 3), "3x33");
    expect(0, matvec(3, 64, 3 * 68, 68, 3), "3x64");
    expect(0, matvec(0, 64, 0, 68, 0), "no rows");
    expect(0, matvec(3, 0, 0, 0, 3), "no columns");
    expect(AEE_EBADPARM, matvec(3, 65, 3 * 68, 68, 3), "3x65 with two blocks a row");
    expect(AEE_EBADPARM, matvec(3, 32, 3 * 68, 68, 3), "3x32 with two blocks a row");
    expect(AEE_EBADPARM, matvec(2, 33, 3 * 68, 68, 2), "a row too many");
    expect(AEE_EBADPARM, matvec(3, 33, 3 * 68 - 1, 68, 3), "a byte too few");
    expect(AEE_EBADPARM, matvec(3, 33, 3 * 68, 34, 3), "x of one block");
    expect(AEE_EBADPARM, matvec(3, 33, 3 * 68, 68, 2), "short y");
    expect(AEE_EBADPARM, matvec(-1, 33, -68, 68, -1), "negative rows");
    expect(AEE_EBADPARM, matvec(3, -33, 3 * -68, -68, 3), "negative columns");
    /* 2^30 rows of 68 bytes are 0 bytes in 32 bits. */
    expect(AEE_EBADPARM, matvec(1 << 30, 64, 0, 68, 1 << 30), "a size that overflows");
    expect(AEE_EBADPARM, matvec(INT_MAX, INT_MAX, 0, 0, INT_MAX), "the largest sizes");

    expect(0, matmul(2, 33, 2, 2 * 36, 2 * 68, 4), "2x33x2");
    expect(0, matmul(2, 33, 0, 2 * 36, 0, 0), "no vectors");
    expect(0, matmul(2, 0, 2, 0, 0, 4), "no columns of matmul");
    expect(AEE_EBADPARM, matmul(2, 33, 2, 2 * 36 - 1, 2 * 68, 4), "a byte of Q4_0 too few");
    expect(AEE_EBADPARM, matmul(2, 33, 2, 2 * 36, 68, 4), "one x of two");
    expect(AEE_EBADPARM, matmul(2, 33, 2, 2 * 36, 2 * 68, 2), "one y of two");
    expect(AEE_EBADPARM, matmul(2, 33, -1, 2 * 36, -68, -2), "negative count");
    /* 2^16 vectors of 2^16 results are none in 32 bits. */
    expect(AEE_EBADPARM, matmul(1 << 16, 0, 1 << 16, 0, 0, 0), "results that overflow");

    expect(AEE_EBADPARM, htp_ops_softmax_f32(handle, floats, 4, floats, 3), "short softmax");
    expect(AEE_EBADPARM, step(1, 2, 2, 4, 2), "short q");
    expect(AEE_EBADPARM, step(2, 2, 2, 3, 2), "short state");
    expect(AEE_EBADPARM, step(2, 2, 2, 4, 1), "short y of a step");
    expect(AEE_EBADPARM, step(1 << 16, 1 << 16, 1 << 16, 0, 1 << 16), "a state that overflows");
    expect(AEE_EBADPARM, step(-1, -1, -1, 1, -1), "negative lengths of a step");

    expect(0, htp_ops_close_queue(handle), "close no queue");
    expect(0, htp_ops_open_queue(handle, 1), "open a queue");
    expect(AEE_EITEMBUSY, htp_ops_open_queue(handle, 2), "open two queues");

    expect(0, htp_ops_close(handle), "close");
    if (queues != 0)
        puts("close does not close the queue");
    if (votes != 0 || hmx_votes != 0)
        puts("close does not take its vote back");
    return 0;
}
