/* An implementation that prints its arguments and returns 1, 2, 3… in every byte. */
#include <stdio.h>
#include <string.h>

#include "rig.h"
#include "wire.h"

/* The DSP's look-up of a mapped buffer: descriptor 99 is not mapped. */
int adsp_mmap_fd_getinfo(int fd, uint32_t *size)
{
    *size = (uint32_t)fd * 100;
    return fd == 99 ? -1 : 0;
}

static void give(void *data, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        ((unsigned char *)data)[i] = (unsigned char)(i + 1);
    }
}

#define SHOW(value) rig_show(#value, &(value), sizeof(value))
#define SHOW_ARRAY(name) rig_show(#name, name, (size_t)name##Len * sizeof(*name))

static void show_pair(const pair *s)
{
    rig_show("a", s->a, (size_t)s->aLen * sizeof(int));
    rig_show("n", s->n, (size_t)s->nLen);
}

static void give_pair(pair *s)
{
    give(s->a, (size_t)s->aLen * sizeof(int));
    give(s->n, (size_t)s->nLen);
    /* These results must not confuse the skel. */
    s->a = NULL;
    s->aLen = 1000;
    s->nLen = -1;
}

static void give_report(report *s)
{
    s->code = 0x0102;
    s->mean = 0.5;
    give_pair(&s->detail);
}

AEEResult wire_open(const char *uri, remote_handle64 *h)
{
    printf("uri=%s\n", uri);
    *h = 77;
    return 0;
}

AEEResult wire_close(remote_handle64 h)
{
    printf("close=%d\n", (int)h);
    return 0;
}

AEEResult wire_scalar(remote_handle64 _h, int a)
{
    printf("h=%d\n", (int)_h);
    SHOW(a);
    return a == 13 ? 0x1234 : 0;
}

AEEResult wire_sequence_in(remote_handle64 _h, const int *v, int vLen, int64 *r)
{
    (void)_h;
    SHOW_ARRAY(v);
    *r = 0x0807060504030201;
    return vLen == 1 ? 0x1234 : 0;
}

AEEResult wire_aligned(remote_handle64 _h, short a, int64 b, uint8_t c, short *d, double *e)
{
    (void)_h;
    SHOW(a);
    SHOW(b);
    SHOW(c);
    *d = 0x0102;
    *e = 0.5;
    return 0;
}

AEEResult wire_inrout_both(remote_handle64 _h, int *x, uint8_t *b, int bLen)
{
    (void)_h;
    SHOW(*x);
    SHOW_ARRAY(b);
    *x += 1;
    b[0]++;
    return 0;
}

AEEResult wire_texts(remote_handle64 _h, const char *s, char *o, int oLen, const _wchar_t *w,
                     _wchar_t *wo, int woLen)
{
    size_t wide = 0;
    (void)_h;
    while (w[wide] != 0) {
        wide++;
    }
    rig_show("s", s, strlen(s) + 1);
    rig_show("w", w, 2 * wide + 2);
    give(o, (size_t)oLen);
    give(wo, 2 * (size_t)woLen);
    return 0;
}

AEEResult wire_inrout_wide(remote_handle64 _h, _wchar_t *w, int wLen, int64 q)
{
    (void)_h;
    SHOW_ARRAY(w);
    SHOW(q);
    return 0;
}

AEEResult wire_sequence_rout(remote_handle64 _h, float *r, int rLen)
{
    (void)_h;
    give(r, (size_t)rLen * sizeof(*r));
    return 0;
}

AEEResult wire_dma(remote_handle64 _h, int d, uint32_t dOffset, uint32_t dLen, int e,
                   uint32_t eOffset, uint32_t eLen)
{
    (void)_h;
    printf("d=%d+%u,%u e=%d+%u,%u\n", d, (unsigned)dOffset, (unsigned)dLen, e, (unsigned)eOffset,
           (unsigned)eLen);
    return 0;
}

AEEResult wire_nothing(remote_handle64 _h)
{
    (void)_h;
    printf("nothing\n");
    return 0;
}

AEEResult wire_pair_in(remote_handle64 _h, const pair *s, int *r)
{
    (void)_h;
    show_pair(s);
    *r = 0x04030201;
    return 0;
}

AEEResult wire_strings_in(remote_handle64 _h, const _cstring1_t *s, int sLen)
{
    (void)_h;
    for (int i = 0; i < sLen; i++) {
        rig_show("s", s[i].data, (size_t)s[i].dataLen);
        printf("text=%s\n", s[i].data);
    }
    return 0;
}

AEEResult wire_strings_rout(remote_handle64 _h, _cstring1_t *s, int sLen)
{
    (void)_h;
    for (int i = 0; i < sLen; i++) {
        give(s[i].data, (size_t)s[i].dataLen);
    }
    return 0;
}

AEEResult wire_pair_rout(remote_handle64 _h, pair *s, int *r)
{
    (void)_h;
    give_pair(s);
    *r = 0x04030201;
    return 0;
}

AEEResult wire_pairs_in(remote_handle64 _h, const pair *s, int sLen, uint8_t o)
{
    (void)_h;
    for (int i = 0; i < sLen; i++) {
        show_pair(&s[i]);
    }
    SHOW(o);
    return 0;
}

AEEResult wire_pairs_rout(remote_handle64 _h, pair *s, int sLen)
{
    (void)_h;
    for (int i = 0; i < sLen; i++) {
        give_pair(&s[i]);
    }
    return 0;
}

AEEResult wire_kinds(remote_handle64 _h, kind k, boolean b)
{
    (void)_h;
    printf("k=%d b=%d\n", (int)k, (int)b);
    return 0;
}

AEEResult wire_inrout_then_octet(remote_handle64 _h, int *x, uint8_t *b, int bLen, uint8_t o)
{
    SHOW(o);
    return wire_inrout_both(_h, x, b, bLen);
}

AEEResult wire_reports_rout(remote_handle64 _h, report *s, int sLen)
{
    (void)_h;
    for (int i = 0; i < sLen; i++) {
        give_report(&s[i]);
        s[i].code = (short)(s[i].code + i);
    }
    return 0;
}

AEEResult wire_flats(remote_handle64 _h, const flat *f, const id i, flat *g, id j, boolean *b)
{
    (void)_h;
    printf("o=%d q=%d b=%d,%d\n", f->o, (int)f->q, (int)f->b, (int)*b);
    rig_show("i", i, sizeof(id));
    g->o = 1;
    g->q = 2;
    g->b = true;
    give(j, sizeof(id));
    *b = !*b;
    return 0;
}

AEEResult wire_inrout_text(remote_handle64 _h, char *s, int sLen)
{
    (void)_h;
    SHOW_ARRAY(s);
    return 0;
}

AEEResult wire_lists_in(remote_handle64 _h, const longs *l, int lLen)
{
    (void)_h;
    for (int i = 0; i < lLen; i++) {
        rig_show("l", l[i].data, (size_t)l[i].dataLen * sizeof(int));
    }
    return 0;
}

AEEResult wire_mixed(remote_handle64 _h, int d, uint32_t dOffset, uint32_t dLen, const char *s,
                     char *z, int zLen, const _cstring1_t *n, int nLen, report *r, int *x)
{
    (void)_h;
    printf("d=%d+%u,%u s=%s z=%s\n", d, (unsigned)dOffset, (unsigned)dLen, s, z);
    for (int i = 0; i < nLen; i++) {
        printf("n=%s\n", n[i].data);
    }
    give(z, (size_t)zLen);
    give_report(r);
    *x += 1;
    return 0;
}

static void show_dmas(const char *name, const _dmahandle1_t *d, int count)
{
    for (int i = 0; i < count; i++) {
        printf("%s=%d+%u,%u\n", name, d[i].fd, (unsigned)d[i].offset, (unsigned)d[i].len);
    }
}

AEEResult wire_dmas(remote_handle64 _h, const _dmahandle1_t *d, int dLen, _dmahandle1_t *e,
                    int eLen, int f, uint32_t fOffset, uint32_t fLen)
{
    (void)_h;
    show_dmas("d", d, dLen);
    show_dmas("e", e, eLen);
    printf("f=%d+%u,%u\n", f, (unsigned)fOffset, (unsigned)fLen);
    return 0;
}

AEEResult wire_dmas_mixed(remote_handle64 _h, const share *d, int dLen, int e, uint32_t eOffset,
                          uint32_t eLen, const _cstring1_t *n, int nLen, int *r)
{
    (void)_h;
    show_dmas("d", d, dLen);
    printf("e=%d+%u,%u\n", e, (unsigned)eOffset, (unsigned)eLen);
    for (int i = 0; i < nLen; i++) {
        printf("n=%s\n", n[i].data);
    }
    *r = 0x04030201;
    return 0;
}

#define FILLER(n)                                                                                 \
    AEEResult wire_filler##n(remote_handle64 _h)                                                  \
    {                                                                                             \
        (void)_h;                                                                                 \
        printf("filler %d\n", n);                                                                 \
        return 0;                                                                                 \
    }
FILLER(24) FILLER(27) FILLER(28) FILLER(29) FILLER(30)

AEEResult wire_escaped(remote_handle64 _h, int64 a)
{
    (void)_h;
    SHOW(a);
    return 0;
}

AEEResult wire_escaped_nothing(remote_handle64 _h)
{
    (void)_h;
    printf("escaped nothing\n");
    return 0;
}
