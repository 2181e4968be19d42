/* What headers of the C++ library need of its objects in a skel: operators new and delete, and the
 * functions of containers.  Names are mangled as the Itanium C++ ABI says, size_t is unsigned int.
 *
 * There are no exceptions: where the library would throw, the skel aborts.  Definitions of the skel's
 * own have precedence, because this is an archive, and weak. */
typedef __SIZE_TYPE__ size_t;

void *malloc(size_t size);
void *memalign(size_t alignment, size_t size);
void free(void *block);
_Noreturn void abort(void);

#define OWN __attribute__((weak, visibility("hidden")))

static void *allocated(size_t size, size_t alignment)
{
    void *block = alignment == 0 ? malloc(size == 0 ? 1 : size) : memalign(alignment, size);
    if (block == (void *)0) {
        abort();
    }
    return block;
}

/* Another symbol of a function. */
#define SAME(name, symbol, of) OWN void name(void) __asm__(symbol) __attribute__((alias(of)))

OWN void *new_object(size_t size) __asm__("_Znwj");
OWN void *new_aligned(size_t size, size_t alignment) __asm__("_ZnwjSt11align_val_t");
OWN void *try_new(size_t size, const void *nothrow) __asm__("_ZnwjRKSt9nothrow_t");
OWN void delete_object(void *block) __asm__("_ZdlPv");
/* std::__1::__libcpp_verbose_abort(), __next_prime(), __hash_memory() */
OWN void verbose_abort(const char *format, ...) __asm__("_ZNSt3__122__libcpp_verbose_abortEPKcz");
OWN size_t next_prime(size_t least) __asm__("_ZNSt3__112__next_primeEj");
OWN size_t hash_memory(const void *data, size_t size) __asm__("_ZNSt3__113__hash_memoryEPKvj");

void *new_object(size_t size)
{
    return allocated(size, 0);
}

void *new_aligned(size_t size, size_t alignment)
{
    return allocated(size, alignment);
}

void *try_new(size_t size, const void *nothrow)
{
    (void)nothrow;
    return malloc(size == 0 ? 1 : size);
}

void delete_object(void *block)
{
    free(block);
}

/* Those of arrays, and delete with a size, an alignment, or both, which free() needs not. */
SAME(new_array, "_Znaj", "_Znwj");
SAME(new_aligned_array, "_ZnajSt11align_val_t", "_ZnwjSt11align_val_t");
SAME(try_new_array, "_ZnajRKSt9nothrow_t", "_ZnwjRKSt9nothrow_t");
SAME(delete_array, "_ZdaPv", "_ZdlPv");
SAME(delete_sized, "_ZdlPvj", "_ZdlPv");
SAME(delete_sized_array, "_ZdaPvj", "_ZdlPv");
SAME(delete_aligned, "_ZdlPvSt11align_val_t", "_ZdlPv");
SAME(delete_aligned_array, "_ZdaPvSt11align_val_t", "_ZdlPv");
SAME(delete_both, "_ZdlPvjSt11align_val_t", "_ZdlPv");
SAME(delete_both_array, "_ZdaPvjSt11align_val_t", "_ZdlPv");

void verbose_abort(const char *format, ...)
{
    (void)format;
    abort();
}

/* The number of buckets of a hash table that has at least `least`. */
size_t next_prime(size_t least)
{
    for (size_t number = least < 2 ? 2 : least;; number++) {
        size_t divisor = 2;
        while (divisor * divisor <= number && number % divisor != 0) {
            divisor++;
        }
        if (divisor * divisor > number) {
            return number;
        }
    }
}

/* FNV-1a of 32 bits; values are compared in one skel only. */
size_t hash_memory(const void *data, size_t size)
{
    size_t hash = 2166136261U;
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ ((const unsigned char *)data)[i]) * 16777619U;
    }
    return hash;
}
