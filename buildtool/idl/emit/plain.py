"""The handle of an interface without `remote_handle64`: opened once, at its first call."""

HANDLE = """\
/* The one handle of INTERFACE, opened at the first call and never closed; -1 when that
 * fails.  Of threads that open it at once, the first one's handle stays. */
__QAIC_STUB_EXPORT remote_handle _INTERFACE_handle(void);
__QAIC_STUB_EXPORT remote_handle _INTERFACE_handle(void)
{
    static remote_handle shared = (remote_handle)-1;
    remote_handle none = (remote_handle)-1;
    remote_handle own = __atomic_load_n(&shared, __ATOMIC_ACQUIRE);

    if (own != none) {
        return own;
    }
    if (__QAIC_REMOTE(remote_handle_open)("INTERFACE", &own) != 0) {
        return none;
    }
    if (!__atomic_compare_exchange_n(&shared, &none, own, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        (void)__QAIC_REMOTE(remote_handle_close)(own);
        own = none;
    }
    return own;
}
"""
