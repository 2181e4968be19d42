/* reference_calls.h: calls of methods and messages go to a library of the ARM64 side in place of the
 * DSP (`diverge --reference`).
 *
 * count_calls.c includes it.  The library has the entry of the skel, which the IDL compiler generates,
 * above an implementation for the processor, and the function of reference.h, or one of both: other
 * calls return AEE_EUNSUPPORTED, and other messages get an empty answer. */
#include "reference.h"

#define REFERENCE_VARIABLE "BUILDTOOL_DSP_REFERENCE"
#define REFERENCES 16
#define ENTRY_SIZE 128
#define ANSWERS 4096 /* unread ones in a queue */
#define ANSWER_ROOM 1024
#define MESSAGE_FLAG 1                      /* DSPQUEUE_PACKET_FLAG_MESSAGE */
#define FIRST_REFERENCE 0x7265660000000000u /* handles that no DSP gives */

typedef int entry_function(remote_handle64 handle, uint32_t scalars, remote_arg *arguments);

static struct {
    entry_function *entry;
    remote_handle64 handle; /* that of the library */
} references[REFERENCES];

static struct reference_queue {
    struct reference_answer {
        uint32_t length;
        uint8_t message[ANSWER_ROOM];
    } *answers;
    uint32_t written, read;
} reference_queues[REFERENCES];

/* The library; NULL if calls go to the DSP, or if it cannot be loaded: no skel opens then. */
static void *reference_library(void)
{
    static void *library;
    const char *name = getenv(REFERENCE_VARIABLE);
    if (library == NULL && name != NULL) {
        /* It is of the user's own release: NOLINTNEXTLINE(clang-analyzer-optin.taint.GenericTaint) */
        library = dlopen(name, RTLD_NOW);
    }
    return library;
}

static int has_reference(void)
{
    return getenv(REFERENCE_VARIABLE) != NULL;
}

/* The entry that a URI names: "file:///libdemo_skel.so?demo_skel_handle_invoke&_dom=cdsp". */
static entry_function *entry_in(void *library, const char *uri)
{
    char name[ENTRY_SIZE];
    size_t length = 0;
    while (*uri != '\0' && *uri != '?') {
        uri++;
    }
    uri += *uri == '?';
    while (uri[length] != '\0' && uri[length] != '&' && length < sizeof name - 1) {
        name[length] = uri[length];
        length++;
    }
    name[length] = '\0';
    entry_function *entry = NULL;
    *(void **)&entry = dlsym(library, name);
    return entry;
}

static int no_entry(remote_handle64 handle, uint32_t scalars, remote_arg *arguments)
{
    (void)handle;
    (void)scalars;
    (void)arguments;
    return AEE_EUNSUPPORTED;
}

static int open_reference(const char *uri, remote_handle64 *handle)
{
    void *library = reference_library();
    entry_function *entry = library != NULL ? entry_in(library, uri) : NULL;
    uint32_t length = 1;
    while (uri[length - 1] != '\0') {
        length++;
    }
    remote_arg arguments[3] = {{.buf = {&length, sizeof length}}, {.buf = {(char *)uri, length}}};
    if (library != NULL && entry == NULL && dlsym(library, REFERENCE_ANSWER) != NULL) {
        entry = no_entry;
    }
    for (size_t i = 0; entry != NULL && i < REFERENCES; i++) {
        if (references[i].entry == NULL) {
            const int code = entry(0, REMOTE_SCALARS_MAKEX(0, 0, 2, 0, 0, 1), arguments);
            if (code == 0 || entry == no_entry) {
                references[i].entry = entry;
                references[i].handle = arguments[2].h64;
                *handle = FIRST_REFERENCE + i;
                return 0;
            }
            return code;
        }
    }
    return AEE_EUNABLETOLOAD;
}

static int is_reference(remote_handle64 handle)
{
    return handle >= FIRST_REFERENCE && handle < FIRST_REFERENCE + REFERENCES;
}

static int call_reference(remote_handle64 handle, uint32_t scalars, remote_arg *arguments)
{
    const size_t place = handle - FIRST_REFERENCE;
    return references[place].entry(references[place].handle, scalars, arguments);
}

static int close_reference(remote_handle64 handle)
{
    const size_t place = handle - FIRST_REFERENCE;
    remote_arg argument = {.h64 = references[place].handle};
    const int code = references[place].entry(references[place].handle,
                                             REMOTE_SCALARS_MAKEX(0, 1, 0, 0, 1, 0), &argument);
    references[place].entry = NULL;
    return code;
}

/* ---- queues, whose messages are answered when they are written ---- */

static struct reference_queue *reference_queue(const void *queue)
{
    for (size_t i = 0; i < REFERENCES; i++) {
        if (queue == &reference_queues[i]) {
            return &reference_queues[i];
        }
    }
    return NULL;
}

static int create_reference_queue(void **queue)
{
    for (struct reference_queue *each = reference_queues; each < reference_queues + REFERENCES;
         each++) {
        if (each->answers == NULL) {
            *each = (struct reference_queue){private_memory(ANSWERS * sizeof *each->answers), 0, 0};
            *queue = each;
            return each->answers != NULL ? 0 : AEE_ENOMEMORY;
        }
    }
    return AEE_ENOMORE;
}

static int write_reference_queue(struct reference_queue *queue, uint32_t buffers, const void *list,
                                 uint32_t length, const uint8_t *message)
{
    reference_answer_function *answer = NULL;
    void *library = reference_library();
    if (library != NULL) {
        *(void **)&answer = dlsym(library, REFERENCE_ANSWER);
    }
    struct reference_answer *next = &queue->answers[queue->written % ANSWERS];
    if (queue->written - queue->read == ANSWERS) {
        return AEE_EWOULDBLOCK;
    }
    const int size = answer != NULL
                         ? answer(message, length, list, buffers, next->message, ANSWER_ROOM)
                         : 0;
    next->length = size > 0 ? (uint32_t)size : 0;
    queue->written++;
    return 0;
}

static int read_reference_queue(struct reference_queue *queue, uint32_t *flags, uint32_t *count,
                                uint32_t room, uint32_t *length, uint8_t *message)
{
    const struct reference_answer *next = &queue->answers[queue->read % ANSWERS];
    if (queue->read == queue->written) {
        return AEE_EWOULDBLOCK;
    }
    if (next->length > room || next->length > ANSWER_ROOM) {
        return AEE_EBADPARM;
    }
    memcpy(message, next->message, next->length);
    *flags = MESSAGE_FLAG;
    *count = 0;
    *length = next->length;
    queue->read++;
    return 0;
}

static void close_reference_queue(struct reference_queue *queue)
{
    (void)munmap(queue->answers, ANSWERS * sizeof *queue->answers);
    queue->answers = NULL;
}
