/* dsp_query.c: print what the system's libcdsprpc says about the compute DSP, and which others there
 * are.
 *
 * Each line is a word and numbers: "attribute ID CAPABILITY" for an attribute that was answered,
 * "failed ID CODE" for another one, "domain ID ARCH_VER" for another DSP (0 if it does not tell),
 * "error TEXT" for a library that could not be loaded.  The program
 * has no start files and links no versioned symbol, so one source serves glibc of every version and
 * Android. */
#include <stddef.h>
#include <stdint.h>

#include "remote.h"

#define ATTRIBUTES 9 /* DOMAIN_SUPPORT to HMX_SUPPORT_SPATIAL */
#define DOMAINS 7    /* adsp to gdsp1 */
#define SECONDS 10u  /* a driver may never answer */
#define RTLD_NOW 2   /* the same in glibc and in 64-bit bionic */
#define STANDARD_OUTPUT 1

void *dlopen(const char *name, int mode);
void *dlsym(void *library, const char *name);
char *dlerror(void);
ptrdiff_t write(int file, const void *data, size_t size);
unsigned alarm(unsigned seconds);
_Noreturn void _exit(int status);
_Noreturn void dsp_query(void);

typedef int control_function(uint32_t request, void *data, uint32_t size);

static void put(const char *text)
{
    size_t size = 0;
    while (text[size] != '\0') {
        size++;
    }
    (void)write(STANDARD_OUTPUT, text, size);
}

static void put_number(uint32_t number)
{
    char digits[12];
    size_t at = sizeof digits - 1;
    digits[at] = '\0';
    do {
        digits[--at] = (char)('0' + number % 10);
        number /= 10;
    } while (number != 0);
    put(" ");
    put(&digits[at]);
}

static void put_error(void)
{
    const char *text = dlerror();
    put("error ");
    put(text != NULL ? text : "not found");
    put("\n");
}

static void *open_library(void)
{
    static const char *const names[] = {"libcdsprpc.so.1", "libcdsprpc.so",
                                        "/vendor/lib64/libcdsprpc.so"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        void *library = dlopen(names[i], RTLD_NOW);
        if (library != NULL) {
            return library;
        }
        put_error();
    }
    return NULL;
}

static void put_domain(control_function *control, uint32_t id)
{
    struct remote_dsp_capability present = {id, DOMAIN_SUPPORT, 0};
    struct remote_dsp_capability arch = {id, ARCH_VER, 0};
    if (control(DSPRPC_GET_DSP_INFO, &present, sizeof present) != 0 || present.capability == 0) {
        return; /* an older library does not know it, or the device does not have it */
    }
    int code = control(DSPRPC_GET_DSP_INFO, &arch, sizeof arch);
    put("domain");
    put_number(id);
    put_number(code == 0 ? arch.capability : 0);
    put("\n");
}

_Noreturn void dsp_query(void)
{
    alarm(SECONDS);
    void *library = open_library();
    control_function *control = NULL;
    if (library != NULL) {
        *(void **)&control = dlsym(library, "remote_handle_control");
        if (control == NULL) {
            put_error();
        }
    }
    if (control == NULL) {
        _exit(1);
    }
    for (uint32_t id = 0; id < ATTRIBUTES; id++) {
        struct remote_dsp_capability asked = {CDSP_DOMAIN_ID, id, 0};
        int code = control(DSPRPC_GET_DSP_INFO, &asked, sizeof asked);
        put(code == 0 ? "attribute" : "failed");
        put_number(id);
        put_number(code == 0 ? asked.capability : (uint32_t)code);
        put("\n");
    }
    for (uint32_t id = 0; id < DOMAINS; id++) {
        if (id != CDSP_DOMAIN_ID) {
            put_domain(control, id);
        }
    }
    _exit(0);
}

/* The kernel starts a program with an aligned stack and no return address. */
__asm__(".globl _start\n_start:\n\tmov x29, #0\n\tmov x30, #0\n\tb dsp_query\n");
