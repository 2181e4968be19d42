/* Descriptions of FastRPC codes. The causes are those that users of real devices have found. */
#include "fastrpc_error.h"

#include <stddef.h>
#include <stdint.h>

#include "AEEStdErr.h"

struct row {
    int code; /* the ARM side's value, without the DSP's offset */
    struct fastrpc_error error;
};

#define ROW(name, cause) \
    {                    \
        name,            \
        {                \
            #name, cause \
        }                \
    }

static const struct row rows[] = {
    ROW(AEE_ENOMEMORY, "out of memory on the DSP"),
    ROW(AEE_EUNABLETOLOAD,
        "skel not found or not loadable: ADSP_LIBRARY_PATH (separated by ';'), permissions of "
        "the file, undefined symbols, or an arch that is newer than the DSP's"),
    ROW(AEE_EBADSTATE, "the process on the DSP crashed; a new session can be opened"),
    ROW(AEE_EBADPARM, "stub and skel are from different IDL files, or lengths do not agree"),
    ROW(AEE_EEXPIRED,
        "no answer in time; a queue gets none if the kernel lacks the signals of dspqueue, as "
        "mainline Linux does"),
    ROW(AEE_EUNSUPPORTED, "the skel lacks the method, or the device lacks the feature"),
    ROW(AEE_EINVALIDSIGNATURE,
        "the skel is not signed, and the process on the DSP is a signed one"),
    ROW(AEE_ENOSUCHMOD, "no such module or handle"),
    ROW(AEE_ENOSUCHSYMBOL, "the skel lacks its entry function, or an old skel was found first"),
    ROW(AEE_ENOSUCHDEVICE, "no such device"),
    ROW(AEE_ENOSUCHFILE, "no such file"),
    ROW(AEE_EBADPERMS, "there is no permission to read the skel"),
    ROW(AEE_EBADELF, "the skel is damaged or built for another machine"),
    ROW(AEE_EFOPEN, "a file or device could not be opened"),
    ROW(AEE_ENORPCMEMORY, "no shared memory: may this user open /dev/dma_heap/system?"),
    ROW(AEE_ECONNREFUSED,
        "the DSP is not reachable: its device node is missing or not accessible, or it is down"),
    ROW(AEE_EUNSIGNEDMOD, "the skel is not signed, and the process on the DSP is a signed one"),
    ROW(AEE_EINVALIDHASH, "the skel does not match its signature"),
    ROW(AEE_EQURTBADASID, "this firmware does not allow user processes on the DSP"),
    ROW(AEE_ESTUBSKELVERMISMATCH, "the stub is newer than the skel: install both again"),
    ROW(AEE_ERPC, "no fastrpc_shell on the DSP's search path, or a buffer is not mapped"),
};

const struct fastrpc_error *fastrpc_error(int code)
{
    static const struct fastrpc_error unknown = {"unknown", "see the DSP's log"};
    /* AEE_ECONNRESET and AEE_ENORPCMEMORY have the same value on the ARM side. */
    static const struct fastrpc_error reset = {"AEE_ECONNRESET",
                                               "the DSP restarted, or there is no shared memory "
                                               "(may this user open /dev/dma_heap/system?)"};
    const uint32_t bits = (uint32_t)code;
    const int from_dsp = bits >= DSP_AEE_EOFFSET && bits < DSP_AEE_EOFFSET + 0x400u;
    const int bare = from_dsp ? (int)(bits - DSP_AEE_EOFFSET) : code;

    if (code == AEE_ECONNRESET)
        return &reset;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].code == bare)
            return &rows[i].error;
    return &unknown;
}
