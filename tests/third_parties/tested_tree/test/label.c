// A library that only tests use.
const char *label(void) {
    return "about to";
}
