/* helper.c: a library next to a skel, such as libc++.so.1. */
__attribute__((visibility("default"))) int helper_answer(void)
{
    return 4242;
}
