/* reference_calls.h: calls of methods go to a library of the ARM64 side in place of the DSP
 * (`diverge --reference`).
 *
 * count_calls.c includes it.  The library has the entry of the skel, which the IDL compiler generates,
 * above an implementation for the processor. */
#define REFERENCE_VARIABLE "BUILDTOOL_DSP_REFERENCE"
#define REFERENCES 16
#define ENTRY_SIZE 128
#define FIRST_REFERENCE 0x7265660000000000u /* handles that no DSP gives */

typedef int entry_function(remote_handle64 handle, uint32_t scalars, remote_arg *arguments);

static struct {
    entry_function *entry;
    remote_handle64 handle; /* that of the library */
} references[REFERENCES];

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

static int open_reference(const char *library, const char *uri, remote_handle64 *handle)
{
    /* It is of the user's own release: NOLINTNEXTLINE(clang-analyzer-optin.taint.GenericTaint) */
    void *opened = dlopen(library, RTLD_NOW);
    entry_function *entry = opened != NULL ? entry_in(opened, uri) : NULL;
    uint32_t length = 1;
    while (uri[length - 1] != '\0') {
        length++;
    }
    remote_arg arguments[3] = {{.buf = {&length, sizeof length}}, {.buf = {(char *)uri, length}}};
    for (size_t i = 0; entry != NULL && i < REFERENCES; i++) {
        if (references[i].entry == NULL) {
            const int code = entry(0, REMOTE_SCALARS_MAKEX(0, 0, 2, 0, 0, 1), arguments);
            if (code == 0) {
                references[i].entry = entry;
                references[i].handle = arguments[2].h64;
                *handle = FIRST_REFERENCE + i;
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
