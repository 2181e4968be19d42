/* helper.c: a library beside a skel, as libc++.so.1 is one. */
__attribute__((visibility("default"))) int helper_answer(void)
{
    return 4242;
}
