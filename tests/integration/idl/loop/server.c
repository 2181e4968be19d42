/* The DSP side: passes calls from standard input to the skel, each buffer before a guard page. */
#include <string.h>

#include "pipe.h"
#include "remote.h"
#include "rig.h"

int loop_skel_handle_invoke(remote_handle64 h, uint32_t sc, remote_arg *pra);

int main(void)
{
    static remote_arg pra[2 * 255 + 2 * 15];
    remote_handle64 h;
    uint32_t sc;

    while (get(stdin, &sc, sizeof(sc)) && get(stdin, &h, sizeof(h))) {
        uint32_t n_in = REMOTE_SCALARS_INBUFS(sc), n_out = REMOTE_SCALARS_OUTBUFS(sc);
        uint32_t n_all = REMOTE_SCALARS_LENGTH(sc);
        int32_t result;

        for (uint32_t i = 0; i < n_in + n_out; i++) {
            uint32_t size = 0;
            get(stdin, &size, sizeof(size));
            pra[i].buf.pv = rig_guarded(size);
            pra[i].buf.nLen = size;
            if (i < n_in) {
                get(stdin, pra[i].buf.pv, size);
            } else {
                memset(pra[i].buf.pv, 0xee, size);
            }
        }
        for (uint32_t i = n_in + n_out; i < n_all; i++) {
            get(stdin, &pra[i].h64, 8);
        }
        result = loop_skel_handle_invoke(h, sc, pra);
        if (rig_leaked() != 0) {
            fprintf(stderr, "%d blocks leaked by %08x\n", rig_leaked(), (unsigned)sc);
            return 4;
        }
        put(stdout, &result, sizeof(result));
        for (uint32_t i = 0; i < n_out; i++) {
            put(stdout, pra[n_in + i].buf.pv, pra[n_in + i].buf.nLen);
        }
        for (uint32_t i = n_in + n_out + REMOTE_SCALARS_INHANDLES(sc); i < n_all; i++) {
            put(stdout, &pra[i].h64, 8);
        }
        fflush(stdout);
        rig_reset();
    }
    return 0;
}
