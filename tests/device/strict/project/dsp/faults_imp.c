/* Methods with the mistakes that the emulated device finds. The tests search the lines of the
 * comments "here: ...". */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "AEEStdErr.h"
#include "HAP_mem.h"
#include "faults.h"

#include <hexagon_types.h>
#include <hexagon_protos.h>
#include <hvx_hexagon_protos.h>

#define KERNEL static __attribute__((noinline))

static const uint8_t *kept;
static void *late;

int faults_open(const char *uri, remote_handle64 *handle)
{
    (void)uri;
    *handle = 1;
    return AEE_SUCCESS;
}

int faults_close(remote_handle64 handle)
{
    (void)handle;
    free(late);
    return AEE_SUCCESS;
}

/* A function with one access to memory: the line of a packet is that of its first instruction. */
KERNEL int read_byte(const volatile uint8_t *at)
{
    return *at; /* here: read */
}

KERNEL void write_byte(volatile uint8_t *at)
{
    *at = 7; /* here: write */
}

/* A packet whose floating point is translated: its store, and a load that gives it a number. */
KERNEL void store_float(volatile void *at)
{
    __asm__ volatile("{ v0.qf32 = vadd(v0.sf,v0.sf)\n vmem(%0+#0) = v0.new }" /* here: store */
                     :
                     : "r"(at)
                     : "v0", "memory");
}

KERNEL void load_float(const volatile void *at)
{
    __asm__ volatile("{ v0.cur = vmem(%0+#0)\n v1.qf32 = vadd(v0.sf,v0.sf) }" /* here: load */
                     :
                     : "r"(at)
                     : "v0", "v1");
}

KERNEL void write_null(void)
{
    *(volatile int *)0x18 = 1; /* here: null */
}

KERNEL int add_bytes(const volatile uint8_t *data, int first, int count)
{
    int total = 0;
    for (int i = first; i < first + count; i++) {
        total += read_byte(data + i);
    }
    return total;
}

AEEResult faults_sum(remote_handle64 h, const unsigned char *data, int dataLen, int32_t first,
                     int32_t count, int32_t *total)
{
    (void)h, (void)dataLen;
    *total = add_bytes(data, first, count);
    return AEE_SUCCESS;
}

KERNEL int add_vectors(const volatile HVX_Vector *vectors, int count)
{
    HVX_Vector total = Q6_V_vzero();
    for (int i = 0; i < count; i++) {
        total = Q6_Vw_vadd_VwVw(total, vectors[i]); /* here: vector */
    }
    return Q6_R_vextract_VR(total, 0);
}

AEEResult faults_vectors(remote_handle64 h, const unsigned char *data, int dataLen, int32_t count,
                         int32_t *total)
{
    (void)h, (void)dataLen;
    *total = add_vectors((const HVX_Vector *)data, count);
    return AEE_SUCCESS;
}

KERNEL void write_bytes(volatile uint8_t *result, int count)
{
    for (int i = 0; i < count; i++) {
        write_byte(result + i);
    }
}

AEEResult faults_fill(remote_handle64 h, int32_t count, unsigned char *result, int resultLen)
{
    (void)h, (void)resultLen;
    write_bytes(result, count);
    return AEE_SUCCESS;
}

AEEResult faults_keep(remote_handle64 h, const unsigned char *data, int dataLen)
{
    (void)h, (void)dataLen;
    kept = data;
    return AEE_SUCCESS;
}

AEEResult faults_use_kept(remote_handle64 h, int32_t offset, int32_t *total)
{
    (void)h;
    *total = add_bytes(kept, offset, 1);
    return AEE_SUCCESS;
}

AEEResult faults_heap(remote_handle64 h, const char *what, int32_t size, int32_t *total)
{
    (void)h;
    *total = 0;
    uint8_t *volatile block = malloc((size_t)size);
    if (strcmp(what, "overrun") == 0) {
        write_bytes(block, size + 1);
    } else if (strcmp(what, "late") == 0) {
        write_bytes(block, size + 1);
        late = block; /* which the end of the session frees */
        return AEE_SUCCESS;
    } else if (strcmp(what, "after-free") == 0) {
        free(block);
        *total = add_bytes(block, 0, 1);
        return AEE_SUCCESS;
    } else if (strcmp(what, "twice") == 0) {
        free(block);
    } else if (strcmp(what, "inside") == 0) {
        block += 8;
    } else if (strcmp(what, "limit") == 0) {
        *total = block == NULL;
    }
    free(block); /* here: free */
    return AEE_SUCCESS;
}

KERNEL int use_stack(int bytes, const volatile uint8_t *before)
{
    volatile uint8_t array[1024 - 16]; /* with the rest of the frame 1,024 bytes */
    array[0] = before[0];              /* here: stack */
    return bytes <= 1024 ? array[0] : use_stack(bytes - 1024, array) + array[0];
}

AEEResult faults_recurse(remote_handle64 h, int32_t bytes)
{
    (void)h;
    uint8_t zero = 0;
    use_stack(bytes, &zero);
    return AEE_SUCCESS;
}

/* Leaves so many bytes of the stack, and calls a function with a frame of 1,024 bytes. With --strict
 * a stack of 16,384 bytes begins at a multiple of 65,536. */
AEEResult faults_overflow(remote_handle64 h, int32_t left)
{
    (void)h;
    uintptr_t here;
    __asm__ volatile("%0 = r29" : "=r"(here));
    volatile uint8_t *rest = __builtin_alloca((here & 0xffffu) - (uint32_t)left);
    rest[0] = 0;
    use_stack(1, rest);
    return AEE_SUCCESS;
}

/* Copies data to the result, and changes it at an offset if that is not negative. */
AEEResult faults_spoil(remote_handle64 h, const unsigned char *data, int dataLen, int32_t at,
                       unsigned char *result, int resultLen)
{ /* here: spoil */
    (void)h;
    memcpy(result, data, (size_t)(dataLen < resultLen ? dataLen : resultLen));
    if (at >= 0) {
        write_byte((uint8_t *)(uintptr_t)data + at);
    }
    return AEE_SUCCESS;
}

AEEResult faults_spoil_piece(remote_handle64 h, const piece *part, int32_t at)
{
    (void)h;
    write_byte(part->bytes + at);
    return AEE_SUCCESS;
}

AEEResult faults_spoil_text(remote_handle64 h, const char *text, int32_t at)
{
    (void)h;
    write_byte((uint8_t *)(uintptr_t)text + at);
    return AEE_SUCCESS;
}

/* Writes to the data through a pointer that the skel has received for a descriptor. */
AEEResult faults_spoil_mapped(remote_handle64 h, const unsigned char *data, int dataLen,
                              int32_t descriptor, int32_t at)
{
    (void)h, (void)data, (void)dataLen;
    void *mapped = NULL;
    uint64_t size = 0;
    int code = HAP_mmap_get(descriptor, &mapped, &size);
    if (code == AEE_SUCCESS) {
        write_byte((uint8_t *)mapped + at);
        HAP_mmap_put(descriptor);
    }
    return code;
}

AEEResult faults_turn(remote_handle64 h, unsigned char *data, int dataLen)
{
    (void)h;
    write_bytes(data, dataLen);
    return AEE_SUCCESS;
}

KERNEL void stomp(void)
{
    void *volatile *frame = __builtin_frame_address(0);
    frame[1] = (void *)0x1234568; /* the return address */
    use_stack(1, (const uint8_t *)&frame);
}

/* Clang does not check pointers to volatile memory. */
KERNEL int first_of(const HVX_Vector *vector)
{
    return Q6_R_vextract_VR(*vector, 0); /* here: misaligned */
}

KERNEL int shift_left(int value, int by)
{
    return value << by; /* here: shift */
}

KERNEL int scale_and_add(int value, int by)
{
    value = value * by; /* here: product */
    return value + by;  /* here: sum */
}

HVX_Vector numbers[4], sums[4];

/* From v79 on a store in qf loses bits. Checks of the code do not see it: the memory is no stack. */
KERNEL void add_up(HVX_Vector more, int count)
{
    for (int i = 0; i < count; i++) {
        sums[i] = Q6_Vqf32_vadd_VsfVsf(numbers[i], more); /* here: qf */
    }
}

AEEResult faults_crash(remote_handle64 h, const char *what)
{
    (void)h;
    if (strcmp(what, "return") == 0) {
        stomp();
    } else if (strcmp(what, "null") == 0) {
        write_null();
    } else if (strcmp(what, "hang") == 0) {
        for (static volatile int forever = 1; forever;) {
        }
    } else if (strcmp(what, "data") == 0) {
        static volatile uint32_t words[4];
        words[0] = 0xdddddddd;
        ((void (*)(void))(uintptr_t)words)();
    } else if (strcmp(what, "code") == 0) {
        write_byte((volatile uint8_t *)(uintptr_t)stomp);
    } else if (strcmp(what, "misaligned") == 0) {
        static uint8_t bytes[1024] __attribute__((aligned(128)));
        return first_of((const HVX_Vector *)(bytes + 4));
    } else if (strcmp(what, "shift") == 0) {
        volatile int by = 32; /* a constant would leave one trap without the kind */
        shift_left(1, by);
    } else if (strcmp(what, "product") == 0) {
        scale_and_add(INT32_MAX, 2);
    } else if (strcmp(what, "sum") == 0) {
        scale_and_add(1, INT32_MAX);
    } else if (strcmp(what, "store") == 0) {
        store_float(NULL);
    } else if (strcmp(what, "load") == 0) {
        load_float(NULL);
    } else if (strcmp(what, "qf") == 0) {
        add_up(Q6_V_vsplat_R(0x3f800000), 4);
    } else if (strcmp(what, "float") == 0) {
        __asm__ volatile(".word 0x1c66e0c0 // v0.f8 = vabs(v0.f8) of v79"); /* here: float */
    } else if (strcmp(what, "matrix") == 0) {
        __asm__ volatile(".word 0x92004de4, 0x9214edef // a product of HMX"); /* here: matrix */
    } else if (strcmp(what, "unknown") == 0) {
        __asm__ volatile(".word 0x6fffffff // no instruction"); /* here: unknown */
    }
    return AEE_SUCCESS;
}
