"""What secrets are called, and what they look like."""

import re

# Globs for names of members, lower case.
SECRET_NAMES = (
    "*token*", "*secret*", "*password*", "*passwd*", "*passphrase*", "*api*key*", "*private*key*", "*credential*",
    "*psk*", "authorization", "proxy-authorization", "cookie", "set-cookie",
)  # fmt: skip

_NAMES = r"(?:token|secret|password|passwd|passphrase|api[_-]?key|private[_-]?key|psk)"
_HIDDEN = "[redacted]"

# pattern -> what stands in its place
PATTERNS = tuple(
    (re.compile(pattern), instead)
    for pattern, instead in (
        # HTTP credentials; in English, `bearer token` is none.
        (r"(?i)\b(bearer)\s+(?!auth|token|scheme|header|credential|\[)[^\s\"',;]{4,}", r"\1 " + _HIDDEN),
        (r"(?i)\b((?:proxy-)?authorization\s*[:=]\s*[\"']?[a-z]+\s+)(?!\[)[^\s\"',;]+", r"\1" + _HIDDEN),
        (r"(?i)\b((?:set-)?cookie\s*:\s*)[^\r\n\"]+", r"\1" + _HIDDEN),
        # Keys with a mark of their own.
        (r"\bsk-[A-Za-z0-9_-]{16,}", _HIDDEN),
        (r"\b[sr]k_(?:live|test)_[A-Za-z0-9]{8,}", _HIDDEN),
        (r"\bgh[pousr]_[A-Za-z0-9]{16,}", _HIDDEN),
        (r"\bgithub_pat_\w{20,}", _HIDDEN),
        (r"\bglpat-[\w-]{16,}", _HIDDEN),
        (r"\bxox[abprs]-[\w-]{10,}", _HIDDEN),
        (r"\bAKIA[0-9A-Z]{16}\b", _HIDDEN),
        (r"\bAIza[\w-]{30,}", _HIDDEN),
        (r"\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*", _HIDDEN),  # a JWT
        (r"-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)", _HIDDEN),
        # URLs: user and password; what a query calls a secret.
        (r"(?i)\b([a-z][a-z0-9+.-]*://)(?!\[redacted\]@)[^\s/@\"']+@", r"\1" + _HIDDEN + "@"),
        (
            r"(?i)([?&#][^\s=&#\"']*(?:token|secret|passw|key|sig|auth|code|credential|session)[^\s=&#\"']*=)[^\s&#\"']+",
            r"\1" + _HIDDEN,
        ),
        # Whose home it is.
        (r"(?<![\w.])(/home/|/Users/)(?!\[redacted\])[^/\s\"':;,]+", r"\1" + _HIDDEN),
        (r"(?i)\b([a-z]:\\{1,2}Users\\{1,2})(?!\[redacted\])[^\\\s\"':;,]+", r"\1" + _HIDDEN),
    )
)

# `token=...`, `"password": "..."`; in prose it may be an explanation.
ASSIGNED = (
    re.compile(
        r"(?i)((?:^|[^a-z0-9])[\w-]*" + _NAMES + r"[\"']?\s*[=:]\s*[\"']?)(?!\[redacted\])[^\s\"'&,;}\]]+"
    ),
    r"\1" + _HIDDEN,
)
