"""Rules about skels: code that is found, and code beside it that is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.lint.linted import in_function, lint_texts, rules_of

Expected = list[tuple[str, int]]
POWER = [("power-context", 2)]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("HAP_power_set(&ctx, &r);", POWER),
        ("HAP_power_set((void *)&ctx, &r);", POWER),
        ("HAP_power_set((void *)(&ctx), &r);", POWER),
        ("HAP_power_set(static_cast<void *>(&ctx), &r);", POWER),
        ("if ((err = HAP_power_set((void *) &ctx, &r)) != 0) return err;", POWER),
        ("void *own = HAP_utils_create_context(); HAP_power_set(&own, &r);", POWER),
        ("int i = 0; if (i) { void *own = get(); HAP_power_set(&own, &r); }", POWER),
        ("std::map<int, ns::node *> own; HAP_power_set(&own, &r);", []),
        ("const struct context *own = get(h); HAP_power_set((void *)&own, &r);", POWER),
        ("HAP_power_set(ctx, &r);", []),
        ("HAP_power_set((void *)ctx, &r);", []),
        ("HAP_power_set(NULL, &r);", []),
        ("HAP_power_set(*ctx, &r);", []),
        ("HAP_power_set(&ctx->client, &r);", []),
        ("HAP_power_set(&client, &r);", []),  # declared elsewhere: its address is one client
        ("static void *own; HAP_power_set(&own, &r);", []),
        ("struct session own; HAP_power_set(&own, &r);", []),
        ("int x = a * own; HAP_power_set(&own, &r);", []),
        ('char *s = "HAP_power_set(&ctx, &r)";', []),
        ("other_power_set(&ctx, &r);", []),
    ],
)
def test_power_context(body: str, expected: Expected, tmp_path: Path) -> None:
    code = in_function(body, "struct context *ctx, remote_handle64 h")

    assert rules_of(lint_texts(tmp_path, a_cpp=code)) == expected


def test_a_reference_is_what_it_refers_to(tmp_path: Path) -> None:
    code = in_function("HAP_power_set(&ctx, &r);", "Context &ctx")

    assert rules_of(lint_texts(tmp_path, a_cpp=code)) == []


UP = "r.type = HAP_power_set_HMX; r.hmx.power_up = TRUE;\n"
HMX = [("hmx-power", 3)]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (UP + "if (HAP_power_set(c, &r) != 0) return -1;", HMX),
        (UP + "err = HAP_power_set(c, &r);\nif (err) { log(); return err; }", HMX),
        (UP + "int err = HAP_power_set(c, &r);\nif (err != AEE_SUCCESS) goto fail;", HMX),
        (UP.replace("HMX", "HMX_v2") + "if (HAP_power_set(c, &r)) abort();", HMX),
        (UP + "err = HAP_power_set(c, &r); log(a, b, c, d);\nif (err) return err;", HMX),
        ("#ifdef DEBUG\n" + UP + "if (HAP_power_set(c, &r)) return 1;\n#endif", [(HMX[0][0], 4)]),
        (UP + "HAP_power_set(c, &r);", []),
        (UP + "err = HAP_power_set(c, &r); if (other) return 1;", []),
        (UP + "HAP_power_set(c, &r); if (other) return 1;", []),
        (UP + "while (HAP_power_set(c, &r) != 0) return 1;", []),
        ("r.type = HAP_power_set_HMX;\nif (HAP_power_set(c, &r)) return 1;", []),
        (UP.replace("=", "==") + "if (HAP_power_set(c, &r)) return 1;", []),
        (UP + "c->hmx = HAP_power_set(c, &r) == 0;", []),
        (UP + "if (HAP_power_set(c, &r) != 0) c->hmx = 0;", []),
        (UP + "err = HAP_power_set(c, &r);\nif (err) log();\nreturn 0;", []),
        (UP + "return HAP_power_set(c, &r);", []),  # what the caller makes of it is not followed
        ("if (has_hmx(c)) {" + UP + "if (HAP_power_set(c, &r) != 0) return -1; }", []),
        ("#if __HVX_ARCH__ >= 75\n" + UP + "if (HAP_power_set(c, &r)) return -1;\n#endif", []),
        (UP.replace("TRUE", "FALSE") + "if (HAP_power_set(c, &r) != 0) return -1;", []),
        (UP.replace("TRUE", "on") + "if (HAP_power_set(c, &r) != 0) return -1;", []),
        (UP.replace("HMX", "HVX") + "if (HAP_power_set(c, &r) != 0) return -1;", []),
        (
            UP + "HAP_power_set(c, &r);\nr.type = HAP_power_set_HVX;\n"
            "if (HAP_power_set(c, &r)) return -1;",
            [],
        ),
    ],
)
def test_hmx_power(body: str, expected: Expected, tmp_path: Path) -> None:
    assert rules_of(lint_texts(tmp_path, a_c=in_function(body))) == expected


def test_the_other_branch_of_an_arch_is_no_guard(tmp_path: Path) -> None:
    body = f"#if __HVX_ARCH__ >= 75\n#else\n{UP}if (HAP_power_set(c, &r)) return -1;\n#endif"

    assert rules_of(lint_texts(tmp_path, a_c=in_function(body))) == [("hmx-power", 5)]


@pytest.mark.parametrize(
    ("script", "timeout", "expected"),
    [
        ("hexagon-sim test.so\n", "100000", [("acquire-timeout", 2)]),
        ("hexagon-sim test.so\n", "0x10u", [("acquire-timeout", 2)]),
        ("hexagon-sim test.so\n", "0", []),
        ("hexagon-sim test.so\n", "timeout_us", []),
        ("buildtool run sim\n", "100000", []),
    ],
)
def test_acquire_timeout(script: str, timeout: str, expected: Expected, tmp_path: Path) -> None:
    code = in_function(f"id = HAP_compute_res_acquire(&attributes, {timeout});")

    assert rules_of(lint_texts(tmp_path, a_c=code, test_sh=script)) == expected


ACQUIRE = "id = HAP_compute_res_acquire(&a, 0); "
VTCM = ACQUIRE + "float *v = HAP_compute_res_attr_get_vtcm_ptr(&a); if (!v) return 1;\n"
READ = [("vtcm-read-first", 3)]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (VTCM + "x = v[0];", READ),
        (VTCM + "x = *v;", READ),
        (VTCM + "v[i] += x;", READ),
        (VTCM + "v[i]++;", READ),
        (VTCM + "memcpy(out, v, n);", READ),
        (VTCM + "if (v[0] == 1) return 0;", READ),
        (
            "if (!HAP_compute_res_acquire(&a, 0)) return 1;"
            " HAP_compute_res_attr_get_vtcm_ptr_v2(&a, (void **)&v, &n);\nx = v[1];",
            READ,
        ),
        ("float *v = HAP_request_VTCM(n, 0);\nx = v[1];", READ),
        ("float *v = HAP_compute_res_attr_get_vtcm_ptr(&a);\nx = v[0];", []),  # from its writer
        (VTCM + "++v[i];", READ),
        (VTCM + "if (v[0]) return 1;", READ),
        (VTCM + "x = sum + v[i] * 2;", READ),
        (VTCM + "x = (a)*v;\ny = v[0];", []),  # a product or a cast
        (VTCM + "return v[i];", READ),
        (VTCM + "while (v[0]) wait();", READ),
        (VTCM + "v[i] = x;\ny = v[i];", []),
        (VTCM + "v[i].x = x;\ny = v[i].x;", []),
        (VTCM + "float &first = v[0];\nfirst = 1;", []),
        (VTCM + "clear(v[0]);\ny = v[0];", []),
        (VTCM + "clear(x, v[0], y);\ny = v[0];", []),
        (VTCM + "n /= sizeof(v[0]); m = sizeof *v; memset(v, 0, n);\ny = v[0];", []),
        (VTCM + "x = a * v;\ny = v[0];", []),
        (VTCM + "y = c.v[0] + c->v[1];", []),
        (VTCM + "if (n && v) v[0] = 1;", []),
        (VTCM + "end = v + n;\ny = v[0];", []),
        (VTCM + "memcpy(out, in, n); use(v);\ny = v[0];", []),
        (ACQUIRE + "c->v = HAP_compute_res_attr_get_vtcm_ptr(&a);\ny = v[0];", []),
        (ACQUIRE + "HAP_compute_res_attr_get_vtcm_ptr_v2(&a, &c->v, &n);\ny = v[0];", []),
        (ACQUIRE + "HAP_compute_res_attr_get_vtcm_ptr_v2(&a, v, &n);\ny = v[0];", []),
        (VTCM + "*v = x;\ny = *v;", []),
        (VTCM + "memset(v, 0, n);\ny = v[0];", []),
        (VTCM + "memcpy(v, in, n);\ny = v[0];", []),
        (VTCM + "fill(v, n);\ny = v[0];", []),  # what a function does is not followed
        (VTCM + "c->base = v;\ny = v[0];", []),
        (VTCM + "p = &v[4];\ny = v[0];", []),
        (VTCM + "if (v != NULL) v[0] = 1;", []),
        ("float *v = malloc(n);\nx = v[0];", []),
    ],
)
def test_vtcm_read_first(body: str, expected: Expected, tmp_path: Path) -> None:
    assert rules_of(lint_texts(tmp_path, a_c=in_function(body))) == expected


INVALIDATE = (
    "\nqurt_mem_cache_clean((qurt_addr_t)p, n, QURT_MEM_CACHE_INVALIDATE, QURT_MEM_DCACHE);"
)
FLUSH = INVALIDATE.replace("INVALIDATE", "FLUSH").replace("\n", "")
DISCARDED = [("invalidate-after-write", 3)]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("p[0] = 1;" + INVALIDATE, DISCARDED),
        ("memset(p, 0, n);" + INVALIDATE, DISCARDED),
        ("memcpy((void *)p, x, n);" + INVALIDATE, DISCARDED),
        ("for (i = 0; i < n; i++) p[i] = x[i];" + INVALIDATE, DISCARDED),
        ("p[0] = 1; " + FLUSH + INVALIDATE, []),
        ("x = p[0];" + INVALIDATE, []),
        ("q[0] = 1;" + INVALIDATE, []),
        ("p[0] = 1; flush(p, n);" + INVALIDATE, []),
        ("p[0] = 1; work(q);" + INVALIDATE, DISCARDED),
        ("memcpy(x, p, n);" + INVALIDATE, []),
        ("p[0] = 1; p = other;" + INVALIDATE, []),
        ("p[0] = 1; if (p == other) work();" + INVALIDATE, DISCARDED),
        ("p[0] = 1; q->p[1] = 2; q->p = other;" + INVALIDATE, DISCARDED),
        ("q->p[1] = 2;" + INVALIDATE, []),
        ("p[0] = 1; qurt_mem_cache_clean(0, 0, QURT_MEM_CACHE_FLUSH_ALL, D);" + INVALIDATE, []),
        ("p[0] = 1; for (;;) {" + INVALIDATE + "}", DISCARDED),
        ("p[0] = 1;" + INVALIDATE.replace("(qurt_addr_t)p", "p + 4"), []),
        ("if (mode) p[0] = 1;" + INVALIDATE, []),
        ("p[0] = 1;" + INVALIDATE.replace("INVALIDATE", "FLUSH_INVALIDATE"), []),
        (INVALIDATE + "\np[0] = 1;", []),
    ],
)
def test_invalidate_after_write(body: str, expected: Expected, tmp_path: Path) -> None:
    assert rules_of(lint_texts(tmp_path, a_c=in_function(body))) == expected
