/* empty.c: a stand-in for libc.so and libgcc.so, which SDK-built skels need by name. */
__attribute__((visibility("default"))) int nothing_of_use;
