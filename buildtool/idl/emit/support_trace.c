/* For `buildtool run --trace`: the newest methods, once they have been asked for. */
static struct {
    struct {
        uint64_t start, end; /* of the counter of 19.2 MHz */
        uint32_t method, thread;
        int32_t code;
        uint32_t rest;
    } * methods;
    uint32_t count; /* also of those that newer ones have replaced */
} _trace;

/* The number of a method, also of one that does not fit into the scalars. */
static inline uint32_t _trace_method(uint32_t sc, const remote_arg* pra)
{
    uint32_t method = REMOTE_SCALARS_METHOD(sc);
    if (method == 31u && REMOTE_SCALARS_INBUFS(sc) > 0 && pra[0].buf.nLen >= sizeof method) {
        memcpy(&method, pra[0].buf.pv, sizeof method);
    }
    return method;
}

/* The answer: 8 bytes of the counter, the numbers of the first and of all that follow, and these,
 * from the number that is asked for on. */
static inline int _trace_answer(uint32_t sc, const remote_arg* pra)
{
    const uint64_t now = HAP_perf_get_qtimer_count();
    const uint32_t each = sizeof *_trace.methods;
    const uint32_t count = __atomic_load_n(&_trace.count, __ATOMIC_ACQUIRE);
    const uint32_t oldest = count > _TRACED ? count - _TRACED : 0;
    uint32_t numbers[2];
    char* to;
    if (REMOTE_SCALARS_INBUFS(sc) != 1 || REMOTE_SCALARS_OUTBUFS(sc) != 1 ||
        pra[0].buf.nLen != 8 || pra[1].buf.nLen < 16) {
        return AEE_EBADPARM;
    }
    if (_trace.methods == NULL) {
        _trace.methods = calloc(_TRACED, each);
    }
    if (_trace.methods == NULL) {
        return AEE_ENOMEMORY;
    }
    memcpy(numbers, pra[0].buf.pv, sizeof numbers);
    to = (char*)pra[1].buf.pv;
    numbers[0] = numbers[1] < oldest ? oldest : numbers[1] < count ? numbers[1] : count;
    numbers[1] = (uint32_t)(pra[1].buf.nLen - 16) / each;
    numbers[1] = numbers[1] < count - numbers[0] ? numbers[1] : count - numbers[0];
    memcpy(to, &now, sizeof now);
    memcpy(to + 8, numbers, sizeof numbers);
    for (uint32_t i = 0; i < numbers[1]; i++) {
        memcpy(to + 16 + i * each, &_trace.methods[(numbers[0] + i) % _TRACED], each);
    }
    return 0;
}

static inline uint64_t _trace_start(void)
{
    return _trace.methods != NULL ? HAP_perf_get_qtimer_count() : 0;
}

static inline void _trace_end(uint64_t start, uint32_t method, int code)
{
    if (start != 0) {
        const uint32_t number = __atomic_fetch_add(&_trace.count, 1, __ATOMIC_ACQ_REL) % _TRACED;
        _trace.methods[number].start = start;
        _trace.methods[number].method = method;
        _trace.methods[number].thread = qurt_thread_get_id != NULL ? qurt_thread_get_id() : 0;
        _trace.methods[number].code = code;
        _trace.methods[number].end = HAP_perf_get_qtimer_count();
    }
}
