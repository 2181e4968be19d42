"""The skel's check of `_idlver`: a stub newer than the skel is refused at open."""

from __future__ import annotations


def version_check(version: str) -> str:
    """C source of `_stub_is_newer(uri)`; `version` is the skel's own, like "1.2.3"."""
    parts = [int(part) for part in version.split(".")]
    own = ", ".join(str(part) for part in ([*parts, 0, 0, 0])[:3])
    return f"""\
/* Whether the URI's _idlver is above {version}, malformed or not there at all. */
static int _stub_is_newer(const char* uri)
{{
    static const unsigned own[3] = {{{own}}};
    unsigned theirs[3] = {{0, 0, 0}};
    int part = 0;
    const char* at = strstr(uri, "_idlver=");

    if (at == NULL) {{
        return 1;
    }}
    for (at += strlen("_idlver="); *at != '\\0' && *at != '&'; at++) {{
        if (*at == '.' && part < 2) {{
            part++;
        }} else if (*at >= '0' && *at <= '9' && theirs[part] < 100) {{
            theirs[part] = theirs[part] * 10u + (unsigned)(*at - '0');
        }} else {{
            return 1;
        }}
    }}
    for (part = 0; part < 3; part++) {{
        if (theirs[part] != own[part]) {{
            return theirs[part] > own[part];
        }}
    }}
    return 0;
}}
"""
