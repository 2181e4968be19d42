// A test program with the command line of GoogleTest.
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "meter.h"

static int mean_of_none(void) {
    struct meter meter = {0};
    return meter_mean(&meter) == 0;
}

static int mean_of_three(void) {
    struct meter meter = {0};
    for (long value = 1; value <= 3; value++)
        meter_add(&meter, value * 10);
    return meter_mean(&meter) == 20;
}

static int largest_of_negative(void) {
    struct meter meter = {0};
    meter_add(&meter, -5);
    meter_add(&meter, -2);
    return meter.largest == -2;
}

static const struct test {
    const char *suite, *name;
    int (*run)(void);
} tests[] = {
    {"Mean", "OfNone", mean_of_none},
    {"Mean", "OfThree", mean_of_three},
    {"Largest", "OfNegative", largest_of_negative},
};
#define COUNT (sizeof tests / sizeof *tests)

static int write_json(const char *file) {
    FILE *out = fopen(file, "w");
    if (!out)
        return 1;
    fprintf(out, "{\"testsuites\": [");
    for (size_t i = 0; i < COUNT; i++)
        fprintf(out, "%s{\"name\": \"%s\", \"testsuite\": [{\"name\": \"%s\", \"file\": \"unit.c\", \"line\": 1}]}",
                i ? ", " : "", tests[i].suite, tests[i].name);
    fprintf(out, "]}\n");
    return fclose(out);
}

int main(int argc, char **argv) {
    const char *filter = "*", *json = NULL;
    int list = 0;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--gtest_list_tests"))
            list = 1;
        else if (!strncmp(argv[i], "--gtest_filter=", 15))
            filter = argv[i] + 15;
        else if (!strncmp(argv[i], "--gtest_output=json:", 20))
            json = argv[i] + 20;
    }
    int failed = 0;
    const char *suite = "";
    for (size_t i = 0; i < COUNT; i++) {
        char name[100];
        snprintf(name, sizeof name, "%s.%s", tests[i].suite, tests[i].name);
        if (fnmatch(filter, name, 0))
            continue;
        if (list) {
            if (strcmp(suite, tests[i].suite))
                printf("%s.\n", suite = tests[i].suite);
            printf("  %s\n", tests[i].name);
            continue;
        }
        int passed = tests[i].run();
        printf("[%s] %s\n", passed ? "       OK " : "  FAILED  ", name);
        failed |= !passed;
    }
    return list && json ? write_json(json) : failed;
}
