/* call_table.h: the counts of calls, in a file that is mapped into memory, and the handles that are
 * open.  count_calls.c includes it. */
#define MODULES 32
#define NAME_SIZE 96
#define ROWS 512
#define HANDLES 256
#define METHOD_IN_ARGUMENT 31u /* such a method has its number in the first argument */

struct row {
    uint64_t key; /* module << 32 | method + 1; 0 is free */
    uint64_t calls, failed, nanoseconds, bytes_in, bytes_out;
};

struct table {
    char magic[8];
    uint64_t opened, closed, mapped, unmapped, mapped_bytes, unmapped_bytes, queues, messages;
    char modules[MODULES][NAME_SIZE]; /* the first is for handles that were not opened here */
    struct row rows[ROWS];
};

static struct table no_file; /* without a place for the counts, they are lost */
static struct table *table = &no_file;
static struct {
    uint64_t handle;
    uint64_t module;
} handles[HANDLES];

static void add(uint64_t *count, uint64_t more)
{
    (void)__atomic_fetch_add(count, more, __ATOMIC_RELAXED);
}

/* The file name in "file:///libdemo_skel.so?demo_skel_handle_invoke&_dom=cdsp". */
static const char *file_name(const char *uri)
{
    const char *start = uri;
    for (const char *at = uri; *at != '\0' && *at != '?'; at++) {
        if (*at == '/') {
            start = at + 1;
        }
    }
    return start;
}

static int is_name(const char *known, const char *name)
{
    size_t i = 0;
    while (i < NAME_SIZE - 1 && name[i] != '\0' && name[i] != '?') {
        if (known[i] != name[i]) {
            return 0;
        }
        i++;
    }
    return known[i] == '\0';
}

static uint64_t module_of(const char *uri)
{
    const char *name = file_name(uri);
    for (uint64_t module = 1; module < MODULES; module++) {
        char *known = table->modules[module];
        if (known[0] == '\0') { /* two threads that take it at once are possible, but rare */
            for (size_t i = 0; i < NAME_SIZE - 1 && name[i] != '\0' && name[i] != '?'; i++) {
                known[i] = name[i];
            }
        }
        if (is_name(known, name)) {
            return module;
        }
    }
    return 0;
}

static void remember(uint64_t handle, const char *uri)
{
    add(&table->opened, 1);
    for (size_t i = 0; i < HANDLES; i++) {
        uint64_t free = 0;
        if (handles[i].handle == handle ||
            __atomic_compare_exchange_n(&handles[i].handle, &free, handle, 0, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED)) {
            handles[i].module = module_of(uri);
            return;
        }
    }
}

static uint64_t module_of_handle(uint64_t handle)
{
    for (size_t i = 0; i < HANDLES; i++) {
        if (handles[i].handle == handle) {
            return handles[i].module;
        }
    }
    return 0;
}

static uint32_t method_of(uint32_t scalars, const remote_arg *arguments)
{
    uint32_t method = REMOTE_SCALARS_METHOD(scalars);
    if (method == METHOD_IN_ARGUMENT && REMOTE_SCALARS_INBUFS(scalars) > 0 &&
        arguments[0].buf.nLen >= sizeof method) {
        method = *(const uint32_t *)arguments[0].buf.pv;
    }
    return method;
}

static struct row *row_of(uint64_t handle, uint32_t scalars, const remote_arg *arguments)
{
    const uint64_t method = method_of(scalars, arguments) + 1;
    const uint64_t key = module_of_handle(handle) << 32 | method;
    for (size_t i = 0; i < ROWS - 1; i++) {
        uint64_t free = 0;
        struct row *row = &table->rows[i];
        if (__atomic_load_n(&row->key, __ATOMIC_RELAXED) == key ||
            __atomic_compare_exchange_n(&row->key, &free, key, 0, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED) ||
            free == key) {
            return row;
        }
    }
    return &table->rows[ROWS - 1];
}
