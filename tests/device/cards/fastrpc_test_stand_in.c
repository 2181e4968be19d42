/* A stand-in for fastrpc_test that prints as qualcomm/fastrpc at 29851fde does (test/fastrpc_test.c);
 * in signed processes one of its tests fails. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int unsigned_process = 1, domain = 3, option;
    const char *arch = "v68";

    while ((option = getopt(argc, argv, "d:U:t:a:")) != -1) {
        if (option == 'd')
            domain = atoi(optarg);
        if (option == 'U')
            unsigned_process = atoi(optarg);
        if (option == 'a')
            arch = optarg;
    }
    printf("Demonstrating FARF run-time logging on domain %d, %s\n", domain, arch);
#ifdef LOSES
    printf("[FAIL] libcalculator.so (error code: 0x%x)\n\n", 0x80000406u);
#else
    printf("[PASS] libcalculator.so\n\n");
#endif
    if (unsigned_process)
        printf("[SKIP] libhap_example.so (not applicable to this hardware)\n\n");
    else
        printf("[FAIL] libhap_example.so (error code: 0x%x)\n\n", 0x80000481u);
    printf("\n========================================\nTest Summary:\n"
           "  Total tests run:    2\n");
    return !unsigned_process;
}
