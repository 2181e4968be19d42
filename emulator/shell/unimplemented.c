/* unimplemented.c: names that the shells of real devices export and this shell lacks.
 *
 * A skel that calls such a function is loaded, as on a device. The function is one of STUBS small
 * stubs, which share the rest of their code: it logs the name and ends the process. */
#include "unimplemented.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "module.h"
#include "shell.h"
#include "symbols.h"

/* The table is in another place of an installed package than of a clone. */
#pragma GCC diagnostic ignored "-Wc23-extensions"
static const char exports[] = {
#if __has_embed("../../buildtool/toolchains/dsp_shell_exports.tsv")
#embed "../../buildtool/toolchains/dsp_shell_exports.tsv"
#else
#embed "../../../toolchains/dsp_shell_exports.tsv"
#endif
    , 0};

#define STUBS 4096 /* more than the table has names */
#define STUB_BYTES 8
#define NAME_BYTES 128

/* Variables. A stub cannot stand for them, so a skel that needs one is not loaded. */
static const char variables[] =
    " AHB_User_Base ahbb _Aldata _AtcountPrivate _AtcountPublic _Atdata _Atfuns _CTinfo "
    "_C_tolower_ _C_toupper_ _Clocale _CurrentTimeLocale _Dbl _DefaultTimeLocale _Denorm _Eps "
    "_Erf_one _Erf_small _FDenorm _FEps _FErf_one _FErf_small _FGamma_big _FInf _FNan _FRteps "
    "_FSnan _FXbig _FZero _Fenv0 _Files _Flt _Gamma_big _Hugeval _Inf _LDenorm _LEps _LErf_one "
    "_LErf_small _LGamma_big _LInf _LNan _LRteps _LSnan _LXbig _LZero _Ldbl _Loctab _Nan _Rteps "
    "_Size_block _Snan _Stderr _Stdin _Stdout _Xbig _Zero __eh_nodes _tolower_tab_ _toupper_tab_ "
    "daylight environ fast2_recipTable_qd fast2_recipTable_qld fast2_recipsqrtTable_qd "
    "fast2_recipsqrtTable_qld optarg opterr optind optopt recipTable_qd "
    "recipsqrtTable_qd suboptarg timezone tzname ";

/* Each stub passes its own address to unimplemented_stubs_end in r28. */
__asm__(".text\n.p2align 4\n.globl unimplemented_stubs\nunimplemented_stubs:\n"
        ".rept 4096\n{ r28 = add(pc, #0)\n jump unimplemented_stubs_end }\n.endr\n"
        "unimplemented_stubs_end:\n"
        "{ r0 = r28\n r1 = r31 }\n"
        "{ allocframe(#0)\n jump unimplemented_call }\n");
extern const uint8_t unimplemented_stubs[STUBS * STUB_BYTES];

static pthread_once_t listed = PTHREAD_ONCE_INIT;
static const char *rows[STUBS]; /* each begins with a name and a tab */
static uint32_t row_count;

static void read_rows(void)
{
    for (const char *row = exports; *row != 0 && row_count < STUBS;) {
        if (*row != '#' && strncmp(row, "name\t", 5) != 0) {
            rows[row_count++] = row;
        }
        const char *end = strchr(row, '\n');
        row = end == NULL ? "" : end + 1;
    }
}

/* Copies the name of a row; returns whether it fits. */
static bool name_of(uint32_t row, char name[NAME_BYTES])
{
    size_t length = strcspn(rows[row], "\t\n");
    if (length >= NAME_BYTES) {
        return false;
    }
    memcpy(name, rows[row], length);
    name[length] = 0;
    return true;
}

static bool is_variable(const char *name)
{
    size_t length = strlen(name);
    for (const char *at = variables; (at = strstr(at, name)) != NULL; at++) {
        if (at[-1] == ' ' && at[length] == ' ') {
            return true;
        }
    }
    return false;
}

void *unimplemented_find(const char *name)
{
    pthread_once(&listed, read_rows);
    size_t length = strlen(name);
    for (uint32_t row = 0; row < row_count; row++) {
        if (strncmp(rows[row], name, length) == 0 && rows[row][length] == '\t') {
            return is_variable(name) ? NULL
                                     : (void *)(uintptr_t)(unimplemented_stubs + row * STUB_BYTES);
        }
    }
    return NULL;
}

void unimplemented_each(void (*visit)(const char *name))
{
    pthread_once(&listed, read_rows);
    for (uint32_t row = 0; row < row_count; row++) {
        char name[NAME_BYTES];
        if (name_of(row, name) && shell_symbol_find(name) == NULL) {
            visit(name);
        }
    }
}

/* The stubs jump here. caller is the address after the call. */
void unimplemented_call(const uint8_t *stub, uintptr_t caller) __attribute__((noreturn, used));

void unimplemented_call(const uint8_t *stub, uintptr_t caller)
{
    char name[NAME_BYTES] = "";
    name_of((uint32_t)(stub - unimplemented_stubs) / STUB_BYTES, name);
    uint32_t offset = 0;
    const char *module = module_at(caller, &offset);
    shell_logf(SHELL_FATAL,
               "%s calls %s, which real DSP shells export and this emulated one does not "
               "implement (the call returns to +0x%x)",
               module == NULL ? "the skel" : module, name, (unsigned)offset);
    abort();
}
