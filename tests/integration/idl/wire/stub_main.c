/* Calls one method of the stub and prints what it sends and what it returns.
 *
 * stub_main METHOD [RESULT [GOOD]]: the library answers with RESULT after filling each rout
 * buffer with 1, 2, 3…; the allocation after GOOD good ones fails. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rig.h"
#include "wire.h"

static int answer;

int remote_handle64_open(const char *name, remote_handle64 *ph)
{
    printf("open %s\n", name);
    *ph = 7;
    return answer;
}

int remote_handle64_close(remote_handle64 h)
{
    printf("close %d\n", (int)h);
    return answer;
}

int remote_register_dma_handle(int fd, uint32_t len)
{
    printf("register %d %u\n", fd, (unsigned)len);
    return fd == 99 ? -1 : 0;
}

int remote_handle64_invoke(remote_handle64 h, uint32_t sc, remote_arg *pra)
{
    printf("invoke %d %08x\n", (int)h, (unsigned)sc);
    for (uint32_t i = 0; i < REMOTE_SCALARS_INBUFS(sc); i++, pra++) {
        rig_show("in", pra->buf.pv, pra->buf.nLen);
    }
    for (uint32_t i = 0; i < REMOTE_SCALARS_OUTBUFS(sc); i++, pra++) {
        printf("out=%zu\n", pra->buf.nLen);
        for (size_t at = 0; at < pra->buf.nLen; at++) {
            ((unsigned char *)pra->buf.pv)[at] = (unsigned char)(at + 1);
        }
    }
    for (uint32_t i = REMOTE_SCALARS_INHANDLES(sc) + REMOTE_SCALARS_OUTHANDLES(sc); i > 0; i--) {
        printf("handle=%d+%u\n", pra->dma.fd, (unsigned)pra->dma.offset);
        pra++;
    }
    return answer;
}

#define SHOW(value) rig_show(#value, &(value), sizeof(value))
#define WIDE(...) ((_wchar_t[]){__VA_ARGS__, 0})

static int three[] = {1, 2, 3};
static int one[] = {4};
static char bob[] = "Bo", anna[] = "Ann";

/* "IN OUT [LAST]": so many in and rout handles, and the descriptor of the last in one. */
static int call_dmas(remote_handle64 h, const char *numbers)
{
    _dmahandle1_t in[16], out[16];
    int n_in = 0, n_out = 0, last = 0;
    int read = sscanf(numbers, "%d %d %d", &n_in, &n_out, &last);

    for (int i = 0; i < 16; i++) {
        in[i] = (_dmahandle1_t){read == 3 && i == n_in - 1 ? last : 20 + i, 4096u * (unsigned)i, 8192};
        out[i] = (_dmahandle1_t){50 + i, 0, 256};
    }
    return wire_dmas(h, in, n_in, out, n_out, 11, 64, 128);
}

static int call(const char *method)
{
    const remote_handle64 h = 5;
    int x = 0x2a, r = -1, status;

    if (strcmp(method, "open") == 0) {
        remote_handle64 opened = 0;
        status = wire_open(wire_URI "&_dom=cdsp", &opened);
        SHOW(opened);
        return status;
    }
    if (strcmp(method, "close") == 0) {
        return wire_close(h);
    }
    if (strcmp(method, "scalar") == 0) {
        return wire_scalar(h, -2);
    }
    if (strcmp(method, "sequence_in") == 0) {
        int64 wide = -1;
        status = wire_sequence_in(h, three, 3, &wide);
        SHOW(wide);
        return status;
    }
    if (strcmp(method, "aligned") == 0) {
        short d = -1;
        double e = -1;
        status = wire_aligned(h, 0x0102, 0x030405060708090a, 0x0b, &d, &e);
        SHOW(d);
        SHOW(e);
        return status;
    }
    if (strcmp(method, "inrout_both") == 0 || strcmp(method, "inrout_then_octet") == 0) {
        uint8_t b[] = {7, 8, 9};
        status = strcmp(method, "inrout_both") == 0 ? wire_inrout_both(h, &x, b, 3)
                                                    : wire_inrout_then_octet(h, &x, b, 3, 8);
        SHOW(x);
        SHOW(b);
        return status;
    }
    if (strcmp(method, "texts") == 0) {
        char o[4] = "old";
        _wchar_t wo[2] = {0x5555, 0x5555};
        status = wire_texts(h, "hey", o, 4, WIDE(0x263a, 'x'), wo, 2);
        SHOW(o);
        SHOW(wo);
        return status;
    }
    if (strcmp(method, "inrout_wide") == 0) {
        _wchar_t w[4] = {'a', 'b', 0, 0x5555};
        status = wire_inrout_wide(h, w, 4, -1);
        SHOW(w);
        return status;
    }
    if (strcmp(method, "inrout_wide unterminated") == 0) {
        _wchar_t w[2] = {'a', 'b'};
        return wire_inrout_wide(h, w, 2, -1);
    }
    if (strcmp(method, "sequence_rout") == 0) {
        float f[2] = {0, 0};
        status = wire_sequence_rout(h, f, 2);
        SHOW(f);
        return status;
    }
    if (strcmp(method, "sequence_rout empty") == 0) {
        return wire_sequence_rout(h, NULL, 0);
    }
    if (strcmp(method, "sequence_rout null") == 0) {
        return wire_sequence_rout(h, NULL, 2);
    }
    if (strcmp(method, "sequence_in negative") == 0) {
        int64 wide = -1;
        return wire_sequence_in(h, three, -1, &wide);
    }
    if (strcmp(method, "sequence_in null result") == 0) {
        return wire_sequence_in(h, three, 3, NULL);
    }
    if (strcmp(method, "texts null") == 0) {
        return wire_texts(h, NULL, NULL, 0, WIDE('x'), NULL, 0);
    }
    if (strcmp(method, "dma") == 0) {
        return wire_dma(h, 11, 4096, 8192, 12, 64, 128);
    }
    if (strcmp(method, "dma refused") == 0) {
        return wire_dma(h, 99, 4096, 8192, 12, 64, 128);
    }
    if (strcmp(method, "nothing") == 0) {
        return wire_nothing(h);
    }
    if (strcmp(method, "pair_in") == 0) {
        const pair s = {three, 3, bob, 3};
        status = wire_pair_in(h, &s, &r);
        SHOW(r);
        return status;
    }
    if (strcmp(method, "strings_in") == 0) {
        const _cstring1_t s[2] = {{(char[]){"ab"}, 3}, {(char[]){"wxyz"}, 5}};
        return wire_strings_in(h, s, 2);
    }
    if (strcmp(method, "strings_in empty") == 0) {
        const _cstring1_t s[2] = {{NULL, 0}, {bob, 3}};
        return wire_strings_in(h, s, 2);
    }
    if (strcmp(method, "strings_in null") == 0) {
        const _cstring1_t s[2] = {{NULL, 1}, {bob, 3}};
        return wire_strings_in(h, s, 2);
    }
    if (strcmp(method, "strings_in 252") == 0 || strcmp(method, "strings_in 254") == 0) {
        _cstring1_t s[254];
        for (int i = 0; i < 254; i++) {
            s[i] = (_cstring1_t){bob, 3};
        }
        return wire_strings_in(h, s, method[13] == '2' ? 252 : 254);
    }
    if (strcmp(method, "strings_rout") == 0) {
        char first[] = "old", second[] = "older";
        _cstring1_t s[2] = {{first, 4}, {second, 6}};
        status = wire_strings_rout(h, s, 2);
        SHOW(first);
        SHOW(second);
        return status;
    }
    if (strcmp(method, "pair_rout") == 0) {
        int a[3] = {0, 0, 0};
        char n[8] = "old";
        pair s = {a, 3, n, 8};
        status = wire_pair_rout(h, &s, &r);
        SHOW(a);
        SHOW(n);
        SHOW(r);
        return status;
    }
    if (strcmp(method, "pair_rout null") == 0 || strcmp(method, "pair_rout negative") == 0) {
        char n[8] = "old";
        pair s = {method[10] == 'n' && method[11] == 'u' ? NULL : three, 3, n, 8};
        s.aLen = s.a == NULL ? 3 : -3;
        return wire_pair_rout(h, &s, &r);
    }
    if (strcmp(method, "pairs_in") == 0) {
        const pair s[2] = {{three, 3, bob, 3}, {one, 1, anna, 4}};
        return wire_pairs_in(h, s, 2, 9);
    }
    if (strcmp(method, "pairs_rout") == 0) {
        int a[3] = {0, 0, 0}, b[1] = {0};
        char n[8] = "old", m[4] = "old";
        pair s[2] = {{a, 3, n, 8}, {b, 1, m, 4}};
        status = wire_pairs_rout(h, s, 2);
        SHOW(b);
        SHOW(m);
        return status;
    }
    if (strcmp(method, "kinds") == 0) {
        return wire_kinds(h, blue, true);
    }
    if (strcmp(method, "reports_rout") == 0) {
        int a[1] = {0}, b[1] = {0};
        char n[2] = "-", m[2] = "-";
        report s[2] = {{5, {a, 1, n, 2}, 5}, {6, {b, 1, m, 2}, 6}};
        status = wire_reports_rout(h, s, 2);
        SHOW(s[0].code);
        SHOW(s[1].code);
        SHOW(s[1].mean);
        SHOW(b);
        SHOW(m);
        return status;
    }
    if (strcmp(method, "flats") == 0) {
        flat f, g;
        id i = {1, 2, 3, 4, 5, 6}, j = {0};
        boolean b = true;
        memset(&f, 0, sizeof(f));
        memset(&g, 0, sizeof(g));
        f.o = 0xaa;
        f.q = -1;
        f.b = true;
        status = wire_flats(h, &f, i, &g, j, &b);
        SHOW(g.q);
        SHOW(j);
        SHOW(b);
        return status;
    }
    if (strcmp(method, "inrout_text") == 0) {
        char s[4] = "a";
        status = wire_inrout_text(h, s, 4);
        SHOW(s);
        return status;
    }
    if (strcmp(method, "inrout_text empty") == 0) {
        return wire_inrout_text(h, NULL, 0);
    }
    if (strcmp(method, "lists_in") == 0) {
        const longs l[3] = {{three, 3}, {NULL, 0}, {one, 1}};
        return wire_lists_in(h, l, 3);
    }
    if (strcmp(method, "mixed") == 0) {
        const _cstring1_t n[1] = {{bob, 3}};
        char z[3] = "z", text[2] = "-";
        int a[1] = {0};
        report s = {5, {a, 1, text, 2}, 5};
        status = wire_mixed(h, 11, 4096, 8192, "s", z, 3, n, 1, &s, &x);
        SHOW(z);
        SHOW(s.code);
        SHOW(s.mean);
        SHOW(a);
        SHOW(text);
        SHOW(x);
        return status;
    }
    if (strcmp(method, "dmas null") == 0) {
        return wire_dmas(h, NULL, 1, NULL, 0, 11, 64, 128);
    }
    if (strncmp(method, "dmas ", 5) == 0) {
        return call_dmas(h, method + 5);
    }
    if (strcmp(method, "dmas_mixed") == 0) {
        const share d[2] = {{20, 0, 8192}, {21, 4096, 8192}};
        const _cstring1_t n[1] = {{bob, 3}};
        status = wire_dmas_mixed(h, d, 2, 50, 64, 128, n, 1, &r);
        SHOW(r);
        return status;
    }
    if (strcmp(method, "escaped") == 0) {
        return wire_escaped(h, -1);
    }
    if (strcmp(method, "escaped_nothing") == 0) {
        return wire_escaped_nothing(h);
    }
    fprintf(stderr, "no call %s\n", method);
    exit(2);
}

int main(int argc, char **argv)
{
    int status;

    answer = argc > 2 ? atoi(argv[2]) : 0;
    rig_fail_after(argc > 3 ? atoi(argv[3]) : -1);
    status = call(argc > 1 ? argv[1] : "");
    printf("status=%d leaked=%d\n", status, rig_leaked());
    return 0;
}
