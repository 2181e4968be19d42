/* Memory that lives as long as the call. */
typedef struct _Block {
    struct _Block* next;
    void* padding; /* what follows is aligned for any type */
} _Block;

/* A sequence whose elements have results to fetch after the call. */
typedef struct _Sequence {
    struct _Sequence* next;
    void* native;
    void* wire;
    uint32_t count;
} _Sequence;

#ifdef STUB
/* A call whose number of buffers depends on its values.  After the first error
 * nothing more is added. */
typedef struct {
    remote_arg args[255 + 255 + 15 + 15]; /* the in buffers, at last the others behind them */
    remote_arg outs[255];
    remote_arg handles[2][15]; /* in, rout */
    uint32_t n_args, n_outs, n_handles[2];
    _Block* blocks;
    _Sequence* first;
    _Sequence** last;
    int err;
} _Call;
#endif

#ifdef SKEL
/* A call whose number of buffers depends on its values.  After the first error
 * nothing more is taken. */
typedef struct {
    remote_arg *in, *in_end, *out, *out_end;
    const remote_arg *handles[2], *handles_end[2]; /* in, rout */
    _Block* blocks;
    _Sequence* first;
    _Sequence** last;
    int err;
} _Call;
#endif

static inline _Call* _call_new(void)
{
    _Call* call = (_Call*)calloc(1, sizeof(*call));
    if (call != NULL) {
        call->last = &call->first;
    }
    return call;
}

static inline void _call_begin(_Call* call, uint32_t sc, remote_arg* pra)
{
    memset(call, 0, sizeof(*call));
    call->in = pra;
    call->out = pra + REMOTE_SCALARS_INBUFS(sc);
    call->in_end = call->out;
    call->out_end = call->out + REMOTE_SCALARS_OUTBUFS(sc);
    call->handles[0] = call->out_end;
    call->handles[1] = call->handles[0] + REMOTE_SCALARS_INHANDLES(sc);
    call->handles_end[0] = call->handles[1];
    call->handles_end[1] = call->handles[1] + REMOTE_SCALARS_OUTHANDLES(sc);
    call->last = &call->first;
}

/* Zeroed memory for count elements, NULL after an error. */
static inline void* _reserve(_Call* call, size_t count, size_t size)
{
    _Block* block = NULL;
    if (call->err == 0 && (size == 0 || count <= (SIZE_MAX - sizeof(_Block)) / size)) {
        block = (_Block*)calloc(1, sizeof(_Block) + count * size);
    }
    if (block == NULL) {
        call->err = call->err != 0 ? call->err : AEE_ENOMEMORY;
        return NULL;
    }
    block->next = call->blocks;
    call->blocks = block;
    return block + 1;
}

/* Note a sequence for the walk over the results. */
static inline void _remember(_Call* call, void* native, void* wire, uint32_t count)
{
    _Sequence* sequence = (_Sequence*)_reserve(call, 1, sizeof(*sequence));
    if (sequence != NULL) {
        sequence->native = native;
        sequence->wire = wire;
        sequence->count = count;
        *call->last = sequence;
        call->last = &sequence->next;
    }
}

/* The next noted sequence: the results are walked in the order of the notes. */
static inline _Sequence _recall(_Call* call)
{
    _Sequence sequence = *call->first;
    call->first = sequence.next;
    return sequence;
}

/* Add an in buffer; returns the number of elements as it goes on the wire. */
static inline uint32_t _add_in(_Call* call, const void* data, int count, size_t size)
{
    if (call->err == 0 && !_is_array(data, count)) {
        call->err = AEE_EBADPARM;
    } else if (call->err == 0 && call->n_args == 255) {
        call->err = AEE_EUNSUPPORTED;
    }
    if (call->err == 0) {
        call->args[call->n_args++] = _buffer(data, (size_t)count * size);
    }
    return (uint32_t)count;
}

/* Add a rout buffer; returns its room in elements as it goes on the wire. */
static inline uint32_t _add_out(_Call* call, void* data, int count, size_t size)
{
    if (call->err == 0 && !_is_array(data, count)) {
        call->err = AEE_EBADPARM;
    } else if (call->err == 0 && call->n_outs == 255) {
        call->err = AEE_EUNSUPPORTED;
    }
    if (call->err == 0) {
        call->outs[call->n_outs++] = _buffer(data, (size_t)count * size);
    }
    return (uint32_t)count;
}

/* Add a text; NULL is a text of length 0, and then its length must say so. */
static inline uint32_t _add_text(_Call* call, const char* text, int count)
{
    return _add_in(call, text, text != NULL ? (int)_text_size(text) : count, 1);
}

/* Add a wide text; NULL is a text of length 0, and then its length must say so. */
static inline uint32_t _add_wide(_Call* call, const _wchar_t* text, int count)
{
    return _add_in(call, text, text != NULL ? (int)_wide_size(text) : count, 2);
}

/* Add an in buffer for the records of a native array; NULL after an error. */
static inline void* _add_in_records(_Call* call, const void* native, int count, size_t size)
{
    void* records = NULL;
    if (!_is_array(native, count)) {
        call->err = call->err != 0 ? call->err : AEE_EBADPARM;
    } else {
        records = _reserve(call, (size_t)count, size);
        _add_in(call, records, count, size);
    }
    return records;
}

/* Add a rout buffer for the results of count elements; NULL after an error. */
static inline void* _add_out_records(_Call* call, int count, size_t size)
{
    void* records = count >= 0 ? _reserve(call, (size_t)count, size) : NULL;
    _add_out(call, records, count, size);
    return records;
}

/* Add a shared buffer, which the library registers. */
static inline void _add_dma(_Call* call, int out, int fd, uint32_t offset, uint32_t length)
{
    if (call->err == 0 && call->n_handles[out] == 15) {
        call->err = AEE_EBADPARM;
    }
    if (call->err == 0 && __QAIC_REMOTE(remote_register_dma_handle)(fd, length) != 0) {
        call->err = AEE_EBADPARM;
    }
    if (call->err == 0) {
        call->handles[out][call->n_handles[out]++] = _dma(fd, offset);
    }
}

/* Add a sequence of shared buffers; returns its length as it goes on the wire. */
static inline uint32_t _add_dmas(_Call* call, int out, const _dmahandle1_t* dmas, int count)
{
    if (call->err == 0 &&
        (!_is_array(dmas, count) || (uint32_t)count > 15 - call->n_handles[out])) {
        call->err = AEE_EBADPARM;
    }
    for (int i = 0; call->err == 0 && i < count; i++) {
        _add_dma(call, out, dmas[i].fd, dmas[i].offset, dmas[i].len);
    }
    return (uint32_t)count;
}

/* The arguments in the order of the wire. */
static inline remote_arg* _call_args(_Call* call)
{
    remote_arg* end = call->args + call->n_args;
    memcpy(end, call->outs, call->n_outs * sizeof(*end));
    end += call->n_outs;
    memcpy(end, call->handles[0], call->n_handles[0] * sizeof(*end));
    end += call->n_handles[0];
    memcpy(end, call->handles[1], call->n_handles[1] * sizeof(*end));
    return call->args;
}

/* The scalars of a call of the method, or of the escape, `method`. */
static inline uint32_t _call_scalars(const _Call* call, uint32_t method)
{
    return REMOTE_SCALARS_MAKEX(0, method, call->n_args, call->n_outs, call->n_handles[0],
                                call->n_handles[1]);
}

/* The next in buffer, which must have count elements; NULL after an error. */
static inline void* _take_in(_Call* call, uint32_t count, size_t size)
{
    if (call->err == 0 && (call->in == call->in_end || !_holds(call->in, count, size))) {
        call->err = AEE_EBADPARM;
    }
    return call->err == 0 ? (call->in++)->buf.pv : NULL;
}

/* The next rout buffer, which must have room for count elements; NULL after an error. */
static inline void* _take_out(_Call* call, uint32_t count, size_t size)
{
    if (call->err == 0 && (call->out == call->out_end || !_holds(call->out, count, size))) {
        call->err = AEE_EBADPARM;
    }
    return call->err == 0 ? (call->out++)->buf.pv : NULL;
}

/* The next in buffer as a text.  One of length 0 is empty and has no terminator to check. */
static inline char* _take_text(_Call* call, uint32_t count)
{
    static const char empty = 0;
    const remote_arg* arg = call->in;
    char* text = (char*)_take_in(call, count, 1);
    if (call->err == 0 && count == 0) {
        return (char*)(uintptr_t)&empty;
    }
    if (call->err == 0 && !_holds_text(arg, count)) {
        call->err = AEE_EBADPARM;
    }
    return text;
}

/* The next in buffer as a wide text.  One of length 0 is empty and has no terminator. */
static inline _wchar_t* _take_wide(_Call* call, uint32_t count)
{
    static const _wchar_t empty = 0;
    const remote_arg* arg = call->in;
    _wchar_t* text = (_wchar_t*)_take_in(call, count, 2);
    if (call->err == 0 && count == 0) {
        return (_wchar_t*)(uintptr_t)&empty;
    }
    if (call->err == 0 && !_holds_wide(arg, count)) {
        call->err = AEE_EBADPARM;
    }
    return text;
}

/* Memory for count elements, each of which takes at least one buffer more. */
static inline void* _take_elements(_Call* call, uint32_t count, size_t size)
{
    if (call->err == 0 && count > 255) {
        call->err = AEE_EBADPARM;
    }
    return _reserve(call, count, size);
}

/* The next shared buffers.  Their lengths are not sent: the DSP's mapping has them. */
static inline _dmahandle1_t* _take_dmas(_Call* call, int out, uint32_t count)
{
    _dmahandle1_t* dmas;
    if (call->err == 0 && count > (size_t)(call->handles_end[out] - call->handles[out])) {
        call->err = AEE_EBADPARM;
    }
    dmas = (_dmahandle1_t*)_reserve(call, count, sizeof(*dmas));
    for (uint32_t i = 0; call->err == 0 && i < count; i++) {
        const remote_arg* arg = call->handles[out]++;
        dmas[i].fd = arg->dma.fd;
        dmas[i].offset = arg->dma.offset;
        if (adsp_mmap_fd_getinfo(dmas[i].fd, &dmas[i].len) != 0) {
            call->err = AEE_EBADPARM;
        }
    }
    return dmas;
}

/* 0 when every buffer and handle of the call was taken. */
static inline int _call_end(const _Call* call)
{
    if (call->err == 0 && (call->in != call->in_end || call->out != call->out_end ||
                           call->handles[0] != call->handles_end[0] ||
                           call->handles[1] != call->handles_end[1])) {
        return AEE_EBADPARM;
    }
    return call->err;
}

static inline void _free_blocks(_Call* call)
{
    while (call->blocks != NULL) {
        _Block* next = call->blocks->next;
        free(call->blocks);
        call->blocks = next;
    }
}

static inline void _call_free(_Call* call)
{
    _free_blocks(call);
    free(call);
}
