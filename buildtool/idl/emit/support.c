/* A length that is not negative, and data unless it is 0. */
static inline int _is_array(const void* data, int count)
{
    return count >= 0 && (data != NULL || count == 0);
}

/* Characters of a text, terminator included. */
static inline uint32_t _text_size(const char* text)
{
    return (uint32_t)strlen(text) + 1u;
}

/* Characters of a wide text, terminator included. */
static inline uint32_t _wide_size(const _wchar_t* text)
{
    uint32_t size = 0;
    while (text[size] != 0) {
        size++;
    }
    return size + 1u;
}

/* Characters of the text in an array, terminator included; 0 without a terminator. */
static inline uint32_t _text_size_within(const char* text, int room)
{
    for (int i = 0; i < room; i++) {
        if (text[i] == 0) {
            return (uint32_t)i + 1u;
        }
    }
    return 0;
}

/* Characters of the wide text in an array, terminator included; 0 without a terminator. */
static inline uint32_t _wide_size_within(const _wchar_t* text, int room)
{
    for (int i = 0; i < room; i++) {
        if (text[i] == 0) {
            return (uint32_t)i + 1u;
        }
    }
    return 0;
}

/* One argument of a call.  In buffers are only read, so const may go. */
static inline remote_arg _buffer(const void* data, size_t size)
{
    remote_arg arg;
    arg.buf.pv = (void*)(uintptr_t)data;
    arg.buf.nLen = size;
    return arg;
}

/* A shared buffer as an argument. */
static inline remote_arg _dma(int fd, uint32_t offset)
{
    remote_arg arg = _buffer(NULL, 0);
    arg.dma.fd = fd;
    arg.dma.offset = offset;
    return arg;
}

/* The buffer has room for count elements of size bytes, and count fits an int. */
static inline int _holds(const remote_arg* arg, uint32_t count, size_t size)
{
    return count <= INT32_MAX && arg->buf.nLen / size >= count &&
           (arg->buf.pv != NULL || count == 0);
}

/* The buffer holds a text of count characters, the last one its terminator. */
static inline int _holds_text(const remote_arg* arg, uint32_t count)
{
    return count > 0 && _holds(arg, count, 1) && ((const char*)arg->buf.pv)[count - 1] == 0;
}

/* The buffer holds a wide text of count characters, the last one its terminator. */
static inline int _holds_wide(const remote_arg* arg, uint32_t count)
{
    const unsigned char* octets = (const unsigned char*)arg->buf.pv;
    return count > 0 && _holds(arg, count, 2) && octets[2 * (size_t)count - 1] == 0 &&
           octets[2 * (size_t)count - 2] == 0;
}

/* Copy a record out of its buffer. */
static inline int _read(void* record, const remote_arg* arg, size_t size)
{
    if (arg->buf.pv == NULL || arg->buf.nLen < size) {
        return 0;
    }
    memcpy(record, arg->buf.pv, size);
    return 1;
}

/* What came in of an inrout sequence goes where the result will be, unless it is there. */
static inline void _carry_over(const remote_arg* out, const remote_arg* in, size_t size)
{
    if (size > 0 && out->buf.pv != in->buf.pv) {
        memmove(out->buf.pv, in->buf.pv, size);
    }
}

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
    uint32_t n_args, n_outs;
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

/* The arguments in the order of the wire. */
static inline remote_arg* _call_args(_Call* call, const remote_arg* handles, uint32_t n_handles)
{
    memcpy(&call->args[call->n_args], call->outs, call->n_outs * sizeof(remote_arg));
    if (n_handles > 0) {
        memcpy(&call->args[call->n_args + call->n_outs], handles, n_handles * sizeof(remote_arg));
    }
    return call->args;
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

/* 0 when every buffer of the call was taken. */
static inline int _call_end(const _Call* call)
{
    if (call->err == 0 && (call->in != call->in_end || call->out != call->out_end)) {
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
