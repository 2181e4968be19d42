/* assembly.S: what musl and libunwind have in assembly.  The preprocessor must not see .s files, in
 * which '#' starts a comment. */
#include "fenv/hexagon/fenv.S"
.include "setjmp/hexagon/longjmp.s"
.include "setjmp/hexagon/setjmp.s"
.include "thread/hexagon/__set_thread_area.s"
.include "thread/hexagon/__unmapself.s"
.include "thread/hexagon/clone.s"

#include "UnwindRegistersRestore.S"
#include "UnwindRegistersSave.S"
