/* sanitized_fork.c: what _Fork() is in a client with sanitizers. gcc's libtsan does not intercept
 * _Fork(): the child would wait for ever when another thread held one of libtsan's locks. */
#undef _Fork
#define _GNU_SOURCE
#include <unistd.h>

/* The hooks of sanitizer/linux_syscall_hooks.h in LLVM, which gcc's libraries export too. */
void __sanitizer_syscall_pre_impl_fork(void);
void __sanitizer_syscall_post_impl_fork(long result);

pid_t sanitized_fork(void)
{
    __sanitizer_syscall_pre_impl_fork();
    pid_t pid = _Fork();
    __sanitizer_syscall_post_impl_fork(pid);
    return pid;
}
