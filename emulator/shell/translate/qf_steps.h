/* qf_steps.h: what instructions do with qf numbers, for qf_tags.c. */
#ifndef BUILDTOOL_SHELL_QF_STEPS_H
#define BUILDTOOL_SHELL_QF_STEPS_H

#include "forms.h"

/* As what a vector is written: UNTYPED is an integer, or anything that is loaded or moved. */
enum kind { UNTYPED, QF32, QF16, IEEE, RESTORED, MERGED, KINDS };

/* As what it is read. */
enum reading { AS_STORED, AS_QF32, AS_QF16, AS_OTHER, READINGS };

/* What an instruction does with vectors, as sets. */
struct step {
    uint32_t reads[READINGS];
    uint32_t writes[KINDS];
    uint32_t moved_from; /* read only to be written elsewhere; they are in reads[AS_OTHER], too */
};

struct step step_of(uint32_t word);

/* For extensions_find: where tags of one sort must be in memory. */
#define QF_TAG_USES 5u
extern struct extended (*const qf_tag_uses[QF_TAG_USES])(uint32_t word);

#endif
