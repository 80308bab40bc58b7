"""What the programs that people put on prefix rules may be given before a person is asked after all.

Each was gone through for options and operands that write a file, run a program, load code, show secrets, or reach
another machine. A program that is not here is unknown: its prefix rule takes any literal arguments.
"""

from __future__ import annotations

from askback.domain.policy.shell import languages as lang
from askback.domain.policy.shell.options import Options

_GREP = Options(
    flags="inrRlLvwxcohHsqEFPGaIzZTUbuy",
    values="eABCm",
    long="""ignore-case line-number recursive files-with-matches files-without-match invert-match
        word-regexp line-regexp count only-matching with-filename no-filename no-messages
        quiet silent extended-regexp fixed-strings perl-regexp basic-regexp text color
        colour null byte-offset line-buffered no-ignore-case initial-tab
        dereference-recursive null-data""",
    long_values="""regexp after-context before-context context max-count include exclude exclude-dir
        binary-files label""",
    numeric=True,
)

OPTIONS: dict[str, Options] = {
    "ls": Options(
        flags="aAbBcCdfFgGhHiklLmnNopqQrRsStuUvxXZ1",
        values="ITw",
        long="""all almost-all author escape ignore-backups color directory dired classify file-type
        full-time group-directories-first no-group human-readable si dereference
        dereference-command-line inode kibibytes numeric-uid-gid literal hide-control-chars
        show-control-chars quote-name reverse recursive size context zero version help""",
        long_values="""block-size format hide hyperlink indicator-style ignore quoting-style sort time time-style
        tabsize width""",
    ),
    "cat": Options(
        flags="AbeEnstTuv",
        long="""show-all number-nonblank show-ends number squeeze-blank show-tabs show-nonprinting version
        help""",
    ),
    "head": Options(
        flags="qvz",
        values="nc",
        long="quiet silent verbose zero-terminated",
        long_values="lines bytes",
        numeric=True,
    ),
    "tail": Options(
        flags="qvzfF",
        values="ncs",
        long="quiet silent verbose zero-terminated follow retry",
        long_values="lines bytes",
        numeric=True,
    ),
    "wc": Options(flags="clmwL", long="bytes chars lines words max-line-length", long_values="total"),
    "grep": _GREP,
    "egrep": _GREP,
    "fgrep": _GREP,
    "rg": Options(
        flags="inNlLwvcFoSsHhUxqpP0",
        values="egtTABCmMdj",
        long="""ignore-case line-number no-line-number files-with-matches files-without-match word-regexp
        invert-match count count-matches fixed-strings only-matching smart-case
        case-sensitive with-filename no-filename multiline line-regexp quiet files heading
        no-heading column no-config pcre2 trim vimgrep stats sort-files type-list version
        json no-messages""",
        long_values="""regexp glob iglob type type-not after-context before-context context max-count max-columns
        max-depth color sort sortr replace max-filesize""",
    ),
    "sort": Options(
        flags="bdfgiMhnRrVcCmsuz",
        values="kt",
        long="""ignore-leading-blanks dictionary-order ignore-case general-numeric-sort ignore-nonprinting
        month-sort human-numeric-sort numeric-sort random-sort reverse version-sort check
        merge stable unique zero-terminated""",
        long_values="key field-separator sort",
    ),
    "uniq": Options(
        flags="cdDuiz",
        values="fsw",
        long="count repeated all-repeated unique ignore-case zero-terminated group",
        long_values="skip-fields skip-chars check-chars",
        operands=1,  # the second one is written
    ),
    "cut": Options(
        flags="snz",
        values="bcdf",
        long="complement only-delimited zero-terminated",
        long_values="bytes characters delimiter fields output-delimiter",
    ),
    "tr": Options(flags="cCdst", long="complement delete squeeze-repeats truncate-set1", operands=2),
    "nl": Options(flags="p", values="bdfhilnsvw"),
    "tac": Options(flags="b"),
    "rev": Options(),
    "paste": Options(flags="sz", values="d"),
    "comm": Options(flags="123z", long="nocheck-order check-order total", operands=2),
    "fold": Options(flags="bs", values="w"),
    "column": Options(flags="tx", values="sco"),
    "seq": Options(flags="w", values="fs"),
    "pwd": Options(flags="LP", operands=0),
    "whoami": Options(operands=0),
    "id": Options(flags="ugGnr", operands=1),
    "groups": Options(operands=1),
    "hostname": Options(flags="fsidI", operands=0),
    "uname": Options(flags="asnrvmpio", operands=0),
    "uptime": Options(flags="ps", operands=0),
    "nproc": Options(long="all", operands=0),
    "true": Options(),
    "false": Options(),
    "which": Options(flags="as"),
    "basename": Options(flags="az", values="s"),
    "dirname": Options(flags="z"),
    "realpath": Options(
        flags="emLPqsz",
        long="canonicalize-existing canonicalize-missing no-symlinks",
        long_values="relative-to relative-base",
    ),
    "readlink": Options(flags="femnqsvz"),
    "stat": Options(
        flags="Lftx", values="c", long="dereference file-system terse", long_values="format printf"
    ),
    "du": Options(
        flags="abchHkLlmPsSx0",
        values="dBt",
        long="all apparent-size bytes total human-readable summarize one-file-system",
        long_values="max-depth exclude block-size threshold time",
    ),
    "df": Options(
        flags="ahHiklPT",
        values="Bt",
        long="all human-readable inodes local portability print-type total",
        long_values="type block-size output",
    ),
    "diff": Options(
        flags="qsuycebiEZbwBarNpdtT",
        values="UCWIx",
        long="""brief report-identical-files unified side-by-side context ignore-case ignore-all-space
        ignore-blank-lines ignore-space-change recursive new-file color text minimal
        suppress-common-lines""",
        long_values="exclude width label",
        operands=2,
    ),
    "cmp": Options(flags="bls", values="n", operands=2),
    "md5sum": Options(flags="bct", long="check"),
    "sha1sum": Options(flags="bct", long="check"),
    "sha256sum": Options(flags="bct", long="check"),
    "tree": Options(
        flags="adfilpshugDFCtrnNQJx",
        values="LPI",
        long="""dirsfirst noreport prune du si inodes device gitignore ignore-case matchdirs nolinks sort""",
        long_values="filelimit charset timefmt",
    ),
    "file": Options(
        flags="bihLkNr0", long="brief mime mime-type mime-encoding dereference no-dereference", values="F"
    ),
    "less": Options(
        flags="NSRFXiIEeMmrsn",
        check=lambda operands: next(
            (f"`{w}` is a command to less" for w in operands if w.startswith("+")), None
        ),
    ),
    "base64": Options(flags="d", values="w", long="decode", long_values="wrap", operands=1),
    "xxd": Options(flags="pu", values="lscg", words="-ps", operands=1),
    "od": Options(flags="bcdosxv", values="AjNtw", numeric=False),
    "hexdump": Options(flags="bcCdovx", values="ns"),
    "strings": Options(flags="afo", values="nte"),
    "date": Options(
        flags="uR",
        values="d",
        long="utc universal rfc-email iso-8601 rfc-3339",
        long_values="date",
        words="-I -Idate -Iseconds",
        check=lang.date_operands,
    ),
    "ps": Options(
        flags="eAafFlLjTMw",
        values="upoCtg",
        long="forest no-headers",
        long_values="pid user format sort ppid",
        check=lang.ps_operands,
        value_check=lang.ps_value,
    ),
    "man": Options(
        flags="kf",
        check=lambda operands: next(
            (
                f"`{w}` is no plain name"
                for w in operands
                if not w.replace("-", "").replace(".", "").isalnum()
            ),
            None,
        ),
    ),
    "tee": Options(
        check=lambda operands: next((f"`tee` writes `{w}`" for w in operands if w != "/dev/null"), None)
    ),
    "curl": Options(
        flags="sSfLIivgG46",
        values="mAH",
        long="""silent show-error fail location head include verbose compressed globoff get fail-with-body
        ipv4 ipv6 http1.1 http2""",
        long_values="max-time connect-timeout retry retry-delay user-agent header max-redirs",
        check=lang.web_addresses,
        value_check=lang.header_value,
    ),
    "make": Options(
        flags="knsBij0123456789",
        long="keep-going dry-run just-print silent quiet always-make no-print-directory jobs",
        check=lambda operands: next((f"`{w}` sets a variable" for w in operands if "=" in w), None),
    ),
    "jq": Options(
        flags="rcnsSejaMC",
        long="""raw-output compact-output null-input slurp sort-keys exit-status join-output tab
        color-output monochrome-output""",
        long_values="indent",
    ),
    "sleep": Options(operands=1),
    "test": Options(),
    "cal": Options(flags="3ymjs"),
    "lsof": Options(flags="nPtiau", values="p"),
    "pgrep": Options(flags="lafnoxci", values="uPg"),
}
"""One-table programs. `find`, `sed`, `awk`, `printf`, `tar`, `docker run`, `gh api` and git have rules of their own."""
