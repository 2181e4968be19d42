/* htp-probe: runs each operation on the DSP and on the CPU and compares. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fastrpc_error.h"
#include "htp_ops.h"
#include "probe.h"
#include "rpcmem.h"
#include "session.h"

enum { EXIT_VERIFIED = 0, EXIT_DIFFERS = 1, EXIT_USAGE = 2 };

struct options {
    const char *op; /* NULL: all */
    uint64_t seed;
    int json;
};

static const char usage[] =
    "usage: htp-probe [--op OP] [--seed N] [--json]\n"
    "\n"
    "Runs each operation of libhtp_ops on the DSP and on the CPU, on several shapes,\n"
    "and compares the results.\n"
    "\n"
    "  --op OP   run only this operation: vec_add_i32, matvec_q8_0, matvec_q4_0,\n"
    "            matvec_q4_0_queue, matmul_q4_0, rms_norm_f32, softmax_f32,\n"
    "            gated_delta_step_f32, matmul_f16_hmx, matmul_f16_hmx_queue or\n"
    "            matmul_u8i8_hmx\n"
    "  --seed N  use N as the seed of the random inputs instead of 1\n"
    "  --json    print one JSON document instead of the table\n"
    "  --help    print this text\n"
    "\n"
    "Exit status: 0 if all results are verified, 1 after a difference or a failure,\n"
    "2 if the command line is wrong.\n";

static _Noreturn void usage_error(const char *what, const char *argument)
{
    fprintf(stderr, "htp-probe: %s%s%s\n%s", what, argument ? ": " : "", argument ? argument : "",
            usage);
    exit(EXIT_USAGE);
}

static int is_op(const char *name)
{
    size_t i = 0;

    while (i < probe_case_count && strcmp(probe_cases[i].op, name) != 0)
        i++;
    return i < probe_case_count;
}

static uint64_t parse_seed(const char *text)
{
    unsigned long long seed;
    char *end;

    errno = 0;
    seed = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0)
        usage_error("--seed takes a number from 0 to 18446744073709551615, not", text);
    return seed;
}

static struct options parse_options(int argc, char **argv)
{
    static const struct option known[] = {
        {"op", required_argument, NULL, 'o'},
        {"seed", required_argument, NULL, 's'},
        {"json", no_argument, NULL, 'j'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    struct options options = {.seed = 1};
    int letter;

    opterr = 0;
    while ((letter = getopt_long(argc, argv, "", known, NULL)) != -1) {
        switch (letter) {
        case 'o':
            if (!is_op(optarg))
                usage_error("no such operation", optarg);
            options.op = optarg;
            break;
        case 's':
            options.seed = parse_seed(optarg);
            break;
        case 'j':
            options.json = 1;
            break;
        case 'h':
            fputs(usage, stdout);
            exit(EXIT_VERIFIED);
        default:
            usage_error("unknown option, or option without its value", argv[optind - 1]);
        }
    }
    if (optind < argc)
        usage_error("unexpected argument", argv[optind]);
    return options;
}

static void explain_failure(const char *doing, int code)
{
    const struct fastrpc_error *error = fastrpc_error(code);

    fprintf(stderr, "htp-probe: %s failed: 0x%08x %s\n  %s\n", doing, (unsigned)code, error->name,
            error->cause);
}

/* Reports a failure after which there are no results. */
static int report_failure(const struct options *options, const char *doing, int code)
{
    explain_failure(doing, code);
    if (options->json)
        probe_print_json_failure(doing, code);
    return EXIT_DIFFERS;
}

static int run_probe(const struct options *options, remote_handle64 handle)
{
    struct probe_result *results = calloc(probe_case_count, sizeof *results);
    struct probe_summary summary = {.seed = options->seed, .results = results};
    int32_t arch = 0, vector_bytes = 0;
    int code, verified;

    if (results == NULL) {
        fputs("htp-probe: out of memory\n", stderr);
        return EXIT_DIFFERS;
    }
    code = htp_ops_info(handle, &arch, &vector_bytes);
    if (code != 0) {
        free(results);
        return report_failure(options, "reading the skel's properties", code);
    }
    summary.skel_arch = arch;
    summary.vector_bytes = vector_bytes;
    for (size_t i = 0; i < probe_case_count; i++)
        if (options->op == NULL || strcmp(probe_cases[i].op, options->op) == 0)
            results[summary.count++] = probe_run(&probe_cases[i], handle, options->seed + i);

    if (options->json)
        probe_print_json(&summary);
    else
        probe_print_table(&summary);
    verified = probe_all_verified(&summary);
    free(results);
    return verified ? EXIT_VERIFIED : EXIT_DIFFERS;
}

int main(int argc, char **argv)
{
    const struct options options = parse_options(argc, argv);
    struct htp_session session;
    int status, code;

    rpcmem_init();
    code = htp_session_open(&session);
    if (code == 0) {
        status = run_probe(&options, session.handle);
        code = htp_session_close(&session);
        if (code != 0) {
            explain_failure("closing the session", code);
            status = EXIT_DIFFERS;
        }
    } else {
        status = report_failure(&options, session.failed_at, code);
    }
    rpcmem_deinit();
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, "htp-probe: cannot write the report: %s\n", strerror(errno));
        status = EXIT_DIFFERS;
    }
    return status;
}
