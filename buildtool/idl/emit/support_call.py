"""C functions for calls whose number of buffers depends on their values, on both sides."""

MEMORY = """\
/* Memory that lives as long as the call. */
typedef struct _Block {
    struct _Block* next;
    void* padding; /* what follows is aligned for any type */
} _Block;
"""

SEQUENCE = """\
/* A sequence whose elements have results to fetch after the call. */
typedef struct _Sequence {
    struct _Sequence* next;
    void* native;
    void* wire;
    uint32_t count;
} _Sequence;
"""

RESERVE = """\
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
"""

REMEMBER = """\
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
"""

RECALL = """\
/* The next noted sequence: the results are walked in the order of the notes. */
static inline _Sequence _recall(_Call* call)
{
    _Sequence sequence = *call->first;
    call->first = sequence.next;
    return sequence;
}
"""

FREE = """\
static inline void _free_blocks(_Call* call)
{
    while (call->blocks != NULL) {
        _Block* next = call->blocks->next;
        free(call->blocks);
        call->blocks = next;
    }
}
"""
