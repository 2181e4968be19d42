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

/* new and new[] of a size; with an alignment; with std::nothrow. */
OWN void *new_object(size_t size) __asm__("_Znwj");
OWN void *new_array(size_t size) __asm__("_Znaj");
OWN void *new_aligned(size_t size, size_t alignment) __asm__("_ZnwjSt11align_val_t");
OWN void *new_aligned_array(size_t size, size_t alignment) __asm__("_ZnajSt11align_val_t");
OWN void *try_new(size_t size, const void *nothrow) __asm__("_ZnwjRKSt9nothrow_t");
OWN void *try_new_array(size_t size, const void *nothrow) __asm__("_ZnajRKSt9nothrow_t");
/* delete and delete[]; with the size, the alignment, both. */
OWN void delete_object(void *block) __asm__("_ZdlPv");
OWN void delete_array(void *block) __asm__("_ZdaPv");
OWN void delete_sized(void *block, size_t size) __asm__("_ZdlPvj");
OWN void delete_sized_array(void *block, size_t size) __asm__("_ZdaPvj");
OWN void delete_aligned(void *block, size_t alignment) __asm__("_ZdlPvSt11align_val_t");
OWN void delete_aligned_array(void *block, size_t alignment) __asm__("_ZdaPvSt11align_val_t");
OWN void delete_both(void *block, size_t size, size_t alignment) __asm__("_ZdlPvjSt11align_val_t");
OWN void delete_both_array(void *block, size_t size,
                           size_t alignment) __asm__("_ZdaPvjSt11align_val_t");
/* std::__1::__libcpp_verbose_abort(), __next_prime(), __hash_memory() */
OWN void verbose_abort(const char *format, ...) __asm__("_ZNSt3__122__libcpp_verbose_abortEPKcz");
OWN size_t next_prime(size_t least) __asm__("_ZNSt3__112__next_primeEj");
OWN size_t hash_memory(const void *data, size_t size) __asm__("_ZNSt3__113__hash_memoryEPKvj");

void *new_object(size_t size)
{
    return allocated(size, 0);
}

void *new_array(size_t size)
{
    return allocated(size, 0);
}

void *new_aligned(size_t size, size_t alignment)
{
    return allocated(size, alignment);
}

void *new_aligned_array(size_t size, size_t alignment)
{
    return allocated(size, alignment);
}

void *try_new(size_t size, const void *nothrow)
{
    (void)nothrow;
    return malloc(size == 0 ? 1 : size);
}

void *try_new_array(size_t size, const void *nothrow)
{
    return try_new(size, nothrow);
}

void delete_object(void *block)
{
    free(block);
}

void delete_array(void *block)
{
    free(block);
}

void delete_sized(void *block, size_t size)
{
    (void)size;
    free(block);
}

void delete_sized_array(void *block, size_t size)
{
    (void)size;
    free(block);
}

void delete_aligned(void *block, size_t alignment)
{
    (void)alignment;
    free(block);
}

void delete_aligned_array(void *block, size_t alignment)
{
    (void)alignment;
    free(block);
}

void delete_both(void *block, size_t size, size_t alignment)
{
    (void)size;
    (void)alignment;
    free(block);
}

void delete_both_array(void *block, size_t size, size_t alignment)
{
    (void)size;
    (void)alignment;
    free(block);
}

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
