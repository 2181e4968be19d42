/* Passes calls from standard input, one per line, to the skel, and prints the results.
 *
 * SCALARS [fGOOD] [tMETHOD] ARGUMENT…: scalars in hex; an argument is iHEX (in buffer),
 * oSIZE (rout buffer), nSIZE (no memory, but a length), cSIZE (no byte, but a length),
 * dFD+OFFSET or hNUMBER (handles).
 * Every buffer ends at a guard page. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rig.h"
#include "wire.h"

int wire_skel_handle_invoke(remote_handle64 h, uint32_t sc, remote_arg *pra);

enum { MAX_ARGS = 2 * 255 + 2 * 15 };

static void in_buffer(remote_arg *arg, const char *hex)
{
    size_t size = strlen(hex) / 2;
    unsigned char *octets = rig_guarded(size);

    arg->buf.pv = octets;
    arg->buf.nLen = size;
    for (size_t i = 0; i < size; i++) {
        unsigned octet = 0;
        sscanf(hex + 2 * i, "%2x", &octet);
        octets[i] = (unsigned char)octet;
    }
}

static uint32_t arguments(char *text, remote_arg *pra)
{
    uint32_t n = 0;

    for (char *word = strtok(text, " \n"); word != NULL && n < MAX_ARGS; word = strtok(NULL, " \n")) {
        remote_arg *arg = &pra[n];
        memset(arg, 0, sizeof(*arg));
        n += word[0] != 'f';
        switch (word[0]) {
        case 'f':
            rig_fail_after(atoi(word + 1));
            break;
        case 'i':
            in_buffer(arg, word + 1);
            break;
        case 'o':
            arg->buf.nLen = strtoul(word + 1, NULL, 10);
            arg->buf.pv = rig_guarded(arg->buf.nLen);
            memset(arg->buf.pv, 0xee, arg->buf.nLen);
            break;
        case 'c':
            arg->buf.pv = rig_guarded(0);
            arg->buf.nLen = strtoul(word + 1, NULL, 10);
            break;
        case 'n':
            arg->buf.nLen = strtoul(word + 1, NULL, 10);
            break;
        case 'd':
            sscanf(word + 1, "%" SCNd32 "+%" SCNu32, &arg->dma.fd, &arg->dma.offset);
            break;
        default:
            arg->h64 = strtoull(word + 1, NULL, 10);
            break;
        }
    }
    return n;
}

int main(void)
{
    static char line[1 << 20];
    static remote_arg pra[MAX_ARGS];

    setvbuf(stdout, NULL, _IOFBF, 1 << 16);
    while (fgets(line, sizeof(line), stdin) != NULL) {
        char *rest;
        uint32_t sc = (uint32_t)strtoul(line, &rest, 16);
        uint32_t first_out = REMOTE_SCALARS_INBUFS(sc);
        uint32_t first_in_handle = first_out + REMOTE_SCALARS_OUTBUFS(sc);
        uint32_t first_out_handle = first_in_handle + REMOTE_SCALARS_INHANDLES(sc);
        int status;

        rig_fail_after(-1);
        if (arguments(rest, pra) != REMOTE_SCALARS_LENGTH(sc)) {
            fprintf(stderr, "scalars and arguments differ: %08x\n", (unsigned)sc);
            return 2;
        }
        status = wire_skel_handle_invoke(5, sc, pra);
        for (uint32_t i = first_out; i < first_in_handle; i++) {
            if (pra[i].buf.pv != NULL && pra[i].buf.nLen < sizeof(line)) {
                rig_show("out", pra[i].buf.pv, pra[i].buf.nLen);
            }
        }
        for (uint32_t i = first_out_handle; i < REMOTE_SCALARS_LENGTH(sc); i++) {
            printf("handle=%" PRIu64 "\n", pra[i].h64);
        }
        printf("status=%08x leaked=%d\n", (unsigned)status, rig_leaked());
        rig_reset();
    }
    return 0;
}
