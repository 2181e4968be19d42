/* in_arguments.c: with --strict, memory that the client only sends is read-only during the call. A
 * write there is lost on a device: the client keeps its copy, or the cache lines of a shared buffer.
 *
 * A shared buffer can have in buffers, out buffers and other memory on one page. Such a page is
 * writable, and the bytes of its in buffers are compared with a copy when the call ends. */
#include "in_arguments.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

#include "guarded.h"

struct span {
    uintptr_t from, to;
};

/* A page that is writable although an in buffer is on it. Its copy follows in the same mapping. */
struct loose {
    struct loose *next;
    uintptr_t page;
    uint8_t *copy;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct call_buffers *calls;
static struct loose *loose_pages;
static unsigned changes; /* of the protection of any page */

static bool is_strict(void)
{
    return shell_facts()->strict != STRICT_OFF;
}

static struct span span_of(const shell_argument *argument)
{
    const uintptr_t from = (uintptr_t)argument->buf.pv;
    return (struct span){from, from + argument->buf.nLen};
}

static struct span pages_of(struct span span)
{
    const uintptr_t page = guarded_page();
    return (struct span){span.from & ~(page - 1), (span.to + page - 1) & ~(page - 1)};
}

static struct span common(struct span a, struct span b)
{
    return (struct span){a.from > b.from ? a.from : b.from, a.to < b.to ? a.to : b.to};
}

static bool overlap(struct span a, struct span b)
{
    const struct span both = common(a, b);
    return both.from < both.to;
}

/* Whether an out buffer of a running call overlaps with a span. */
static bool is_out(struct span span)
{
    for (const struct call_buffers *call = calls; call != NULL; call = call->next) {
        for (uint32_t i = call->in; i < call->in + call->out; i++) {
            if (overlap(span_of(&call->arguments[i]), span)) {
                return true;
            }
        }
    }
    return false;
}

/* Whether a method may not write to an in buffer. The two halves of an inrout parameter share their
 * memory in a shared buffer. */
static bool is_read_only(const struct call_buffers *call, uint32_t in)
{
    const struct span span = span_of(&call->arguments[in]);
    bool within = span.from == span.to;
    for (uint32_t out = call->in; out < call->in + call->out && !within; out++) {
        const struct span other = span_of(&call->arguments[out]);
        within = span.from >= other.from && span.to <= other.to;
    }
    return !within && (call->wire[in].transfer != WIRE_SHARED || !buffer_given(call->wire[in].id));
}

typedef bool (*visitor)(struct span in, bool copied, void *context);

/* Calls `visit` for each read-only in buffer that overlaps with a span, until it returns true. */
static bool any_in(struct span span, visitor visit, void *context)
{
    for (const struct call_buffers *call = calls; call != NULL; call = call->next) {
        for (uint32_t i = 0; i < call->in; i++) {
            const struct span in = span_of(&call->arguments[i]);
            if (overlap(in, span) && is_read_only(call, i) &&
                visit(in, call->wire[i].transfer == WIRE_COPIED, context)) {
                return true;
            }
        }
    }
    return false;
}

static bool is_any(struct span in, bool copied, void *context)
{
    (void)in, (void)copied, (void)context;
    return true;
}

/* A copied argument has pages of its own, so a write beside it is an error, too. */
static bool is_copied(struct span in, bool copied, void *context)
{
    (void)in, (void)context;
    return copied;
}

static bool protect(struct span in, bool copied, void *pages)
{
    (void)copied;
    const struct span part = common(pages_of(in), *(const struct span *)pages);
    mprotect((void *)part.from, part.to - part.from, PROT_READ);
    return false;
}

static bool make_writable(struct span pages)
{
    return mprotect((void *)pages.from, pages.to - pages.from, PROT_READ | PROT_WRITE) == 0;
}

static bool copy_in(struct span in, bool copied, void *loose)
{
    const struct loose *to = loose;
    const struct span part = common(in, (struct span){to->page, to->page + guarded_page()});
    (void)copied;
    if (part.from < part.to) {
        memcpy(to->copy + (part.from - to->page), (const void *)part.from, part.to - part.from);
    }
    return false;
}

/* Makes a page writable, after its in buffers have been copied. */
static bool loosen(uintptr_t page)
{
    const struct span span = {page, page + guarded_page()};
    struct loose *at = loose_pages;
    while (at != NULL && at->page != page) {
        at = at->next;
    }
    if (at == NULL) {
        at = mmap(NULL, 2 * guarded_page(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
                  0);
        if (at == MAP_FAILED) {
            return false;
        }
        *at = (struct loose){loose_pages, page, (uint8_t *)at + guarded_page()};
        loose_pages = at;
        any_in(span, copy_in, at);
    }
    return make_writable(span);
}

/* Sets the protection of pages to what the running calls ask for. */
static void apply(struct span pages)
{
    changes++;
    make_writable(pages);
    any_in(pages, protect, &pages);
    for (struct loose **at = &loose_pages; *at != NULL;) {
        struct loose *page = *at;
        const struct span span = {page->page, page->page + guarded_page()};
        if (any_in(span, is_any, NULL)) {
            make_writable(span);
            at = &page->next;
        } else {
            *at = page->next;
            munmap(page, 2 * guarded_page());
        }
    }
}

/* Loosens the pages of a span that in buffers share with an out buffer. */
static void loosen_shared(struct span out)
{
    const struct span pages = pages_of(out);
    for (uintptr_t page = pages.from; page < pages.to; page += guarded_page()) {
        if (any_in((struct span){page, page + guarded_page()}, is_any, NULL)) {
            loosen(page);
        }
    }
}

void in_arguments_begin(struct call_buffers *call)
{
    if (!is_strict()) {
        return;
    }
    pthread_mutex_lock(&lock);
    call->next = calls;
    calls = call;
    for (uint32_t i = 0; i < call->in; i++) {
        if (is_read_only(call, i)) {
            for (struct loose *at = loose_pages; at != NULL; at = at->next) {
                copy_in(span_of(&call->arguments[i]), false, at);
            }
            apply(pages_of(span_of(&call->arguments[i])));
        }
    }
    /* Of all calls: a system call does not write to a page that becomes writable by a fault. */
    for (const struct call_buffers *each = calls; each != NULL; each = each->next) {
        for (uint32_t i = each->in; i < each->in + each->out; i++) {
            loosen_shared(span_of(&each->arguments[i]));
        }
    }
    pthread_mutex_unlock(&lock);
}

/* Finds the first byte of an in buffer that has changed on a loosened page and that no out buffer
 * has. */
static void find_changed(struct span in, uintptr_t *changed)
{
    for (const struct loose *at = loose_pages; at != NULL; at = at->next) {
        const struct span part = common(in, (struct span){at->page, at->page + guarded_page()});
        const size_t size = part.from < part.to ? part.to - part.from : 0;
        const uint8_t *now = (const uint8_t *)part.from;
        const uint8_t *before = at->copy + (part.from - at->page);
        for (size_t i = 0; i < size && *changed == 0; i++) {
            if (now[i] != before[i] && !is_out((struct span){part.from + i, part.from + i + 1})) {
                *changed = part.from + i;
            }
        }
    }
}

void in_arguments_check(const struct call_buffers *call)
{
    if (!is_strict()) {
        return;
    }
    pthread_mutex_lock(&lock);
    uintptr_t changed = 0;
    for (uint32_t i = 0; i < call->in && changed == 0; i++) {
        if (is_read_only(call, i)) {
            find_changed(span_of(&call->arguments[i]), &changed);
        }
    }
    pthread_mutex_unlock(&lock);
    if (changed != 0) {
        shell_stop("in", changed, "the method has written to an argument that is only sent (in)");
    }
}

void in_arguments_end(struct call_buffers *call)
{
    if (!is_strict()) {
        return;
    }
    pthread_mutex_lock(&lock);
    struct call_buffers **at = &calls;
    while (*at != call) {
        at = &(*at)->next;
    }
    *at = call->next;
    for (uint32_t i = 0; i < call->in; i++) {
        if (call->arguments[i].buf.nLen > 0) {
            apply(pages_of(span_of(&call->arguments[i])));
        }
    }
    pthread_mutex_unlock(&lock);
}

void in_arguments_given(const void *start, size_t size)
{
    if (is_strict()) {
        pthread_mutex_lock(&lock);
        apply(pages_of((struct span){(uintptr_t)start, (uintptr_t)start + size}));
        pthread_mutex_unlock(&lock);
    }
}

static bool holds(uintptr_t address)
{
    const struct span byte = {address, address + 1};
    return any_in(byte, is_any, NULL) && !is_out(byte);
}

bool in_argument_holds(uintptr_t address)
{
    pthread_mutex_lock(&lock);
    const bool found = is_strict() && holds(address);
    pthread_mutex_unlock(&lock);
    return found;
}

bool in_arguments_loosen(uintptr_t address)
{
    static __thread unsigned seen;
    const struct span page = pages_of((struct span){address, address + 1});
    bool loosened = false;
    pthread_mutex_lock(&lock);
    if (is_strict() && !holds(address)) {
        if (any_in(page, is_any, NULL)) {
            loosened = !any_in(page, is_copied, NULL) && loosen(page.from);
        } else {
            /* The call whose argument made the page read-only can have ended since the fault. */
            loosened = changes != seen;
            seen = changes;
        }
    }
    pthread_mutex_unlock(&lock);
    return loosened;
}
