"""Allowed names of secrets: names of environment variables that do not decide how a process runs."""

from __future__ import annotations

import re

from askback.domain.values import frozen

MAX_LENGTH = 200
"""Characters of a name."""

_NAME = re.compile(r"[A-Z_][A-Z0-9_]*")


def is_well_formed(name: str) -> bool:
    """Return whether a text can be a name: 1 to 200 of `A-Z`, `0-9` and `_`, not a digit first."""
    return len(name) <= MAX_LENGTH and _NAME.fullmatch(name) is not None


def blocked_reason(name: str) -> str | None:
    """Return why no secret may have this well-formed name, as the end of a sentence; None if one may."""
    return next((family.why for family in _FAMILIES if family.has(name)), None)


@frozen(slots=True)
class _Family:
    """Names that are refused for one reason; `exceptions` are names that are accepted as secrets all the same."""

    why: str
    names: re.Pattern[str]
    exceptions: re.Pattern[str]

    def has(self, name: str) -> bool:
        return self.names.fullmatch(name) is not None and self.exceptions.fullmatch(name) is None


def _family(reason: str, names: str, *, exceptions: str = "") -> _Family:
    """Read names that are parted by blanks, with `*` for any characters."""
    return _Family(reason, _pattern(names), _pattern(exceptions))


def _pattern(names: str) -> re.Pattern[str]:
    return re.compile("|".join(name.replace("*", "[A-Z0-9_]*") for name in names.split()) or "(?!)")


_CREDENTIALS = "*_TOKEN *_TOKENS *_PASSWORD *_PASS *_SECRET *_PAT *_CREDENTIALS *_API_KEY *_PRIVATE_KEY"

_FAMILIES = (
    _family("it belongs to askback itself", "ASKBACK_*"),
    _family("with it Agor encrypts its secrets", "AGOR_MASTER_SECRET"),
    # The loader (Linux, macOS, AIX, HP-UX) puts libraries of its choice into every program; `__XPC_DYLD_…` and
    # `__PYVENV_LAUNCHER__` are macOS's own.
    _family(
        "it decides which libraries are loaded into programs",
        "LD_* DYLD_* LDR_* _RLD* __* LIBPATH SHLIB_PATH *_PRELOAD",
    ),
    # Tunables reach into the allocator, the paths load code or format strings, MALLOC_TRACE writes a file.
    _family(
        "the C library reads it in every program",
        "GLIBC_TUNABLES MALLOC_* GCONV_PATH GETCONF_DIR LOCPATH NLSPATH PATH_LOCALE TZDIR",
    ),
    # Who and where the process is. From HOME and XDG_* follow the settings of nearly every tool.
    _family(
        "it tells a program who runs it, where its files are or which terminal it has",
        """HOME USER LOGNAME USERNAME LOGIN MAIL SHELL TERM TERMCAP TERMINFO* TERMPATH PWD OLDPWD TMPDIR TMP TEMP
        TMPPREFIX XDG_* DBUS_* DISPLAY XAUTHORITY WAYLAND_DISPLAY SSH_AUTH_SOCK GPG_AGENT_INFO GNUPGHOME
        COMSPEC PATHEXT SYSTEMROOT SYSTEMDRIVE WINDIR USERPROFILE HOMEDRIVE HOMEPATH APPDATA LOCALAPPDATA""",
    ),
    # A shell runs the text in these (PS4 expands commands), reads the file that they name, or splits words by them.
    _family(
        "a shell runs it, or reads it before it runs anything",
        """_ IFS ENV BASH_* BASHOPTS SHELLOPTS PROMPT_COMMAND PS0 PS1 PS2 PS3 PS4 GLOBIGNORE EXECIGNORE FIGNORE
        INPUTRC HISTFILE POSIXLY_CORRECT ZDOTDIR NULLCMD READNULLCMD KSH_ENV FPATH CDPATH FCEDIT HISTEDIT""",
    ),
    # CPython, Perl and Ruby have variables that load a module or take options, and new ones with new versions.
    _family("the Python interpreter reads it", "PYTHON*", exceptions="PYTHONANYWHERE_*"),
    _family("the Perl interpreter reads it", "PERL*"),
    _family("the Ruby interpreter reads it", "RUBYOPT RUBYLIB RUBYPATH RUBYSHELL RUBYGEMS_GEMDEPS RUBY_*"),
    _family(
        "a JavaScript runtime reads it",
        "NODE_* BUN_* DENO_* TS_NODE_* ELECTRON_RUN_AS_NODE",
        exceptions=_CREDENTIALS,
    ),
    # The JVM, .NET (startup hooks and profilers are libraries), PHP, Lua, Erlang, R, Julia, Tcl and Emacs.
    _family(
        "the runtime of a language reads it",
        """*JAVA_OPTIONS CLASSPATH JAVACMD DOTNET_* CORECLR_* COMPLUS_* COR_PROFILER* COR_ENABLE_PROFILING PHPRC
        PHP_INI_* LUA_INIT* LUA_PATH* LUA_CPATH* ERL_* R_PROFILE* R_ENVIRON* R_LIBS* JULIA_LOAD_PATH
        JULIA_DEPOT_PATH JULIA_PROJECT TCLLIBPATH EMACSLOADPATH""",
    ),
    # git takes from its variables the programs it starts, any setting, the hooks, and where to write what it sends.
    _family("git starts it, or takes its settings from it", "GIT_*COMMAND GIT_SSH* GIT_CONFIG* GIT_ASKPASS"),
    _family("git reads it", "GIT_*", exceptions=f"GIT_TOKEN GIT_PASSWORD GIT_PAT GIT_SECRET {_CREDENTIALS}"),
    _family(
        "a tool for versions or remote machines starts what it names",
        "HG HGRCPATH HGEDITOR HGMERGE SVN_* CVS_* RSYNC_* SSH_ASKPASS* SSH_SK_* SSH_PKCS11_HELPER RSH *_RSH",
        exceptions=_CREDENTIALS,
    ),
    # Options outside the command line: `-javaagent`, `--require`. LESS runs `+!command`, make reads MAKEFILES first.
    _family(
        "it is read as options or commands of a program",
        """*OPTS *_OPTIONS *FLAGS *_ARGS LESS LESSOPEN LESSCLOSE LESSKEY* MORE MANOPT MAKEFILES EXINIT *VIMINIT
        ZIPOPT""",
    ),
    # What one program starts for another.
    _family(
        "it names a program that others start",
        """EDITOR *_EDITOR VISUAL PAGER MANPAGER *_PAGER BROWSER *_BROWSER *ASKPASS *_COMMAND *_CMD *_SHELL
        *_WRAPPER *_LAUNCHER *_EXECUTABLE *_STARTUP_HOOKS *_LINKER *_RUNNER CC CXX CPP LD AR AS RANLIB STRIP""",
    ),
    # A path is not a secret, and a path to load from decides what is loaded: PATH, GOPATH, JAVA_HOME, QT_PLUGIN_PATH.
    _family(
        "it names a place from which programs load what they run",
        "*PATH *_PATHS *_HOME *_ROOT *_PLUGINS *_MODULE *_MODULES *_MODULE_FILE *_ICD_FILENAMES FLASK_APP",
    ),
    # Settings that can name a program to run: `credential_process`, `exec`, `credsStore`, `--pre`.
    _family(
        "it names settings that can start programs",
        """*_CONFIG_FILE *_CONFIG_DIR DOCKER_CONFIG RCLONE_CONFIG CLOUDSDK_CONFIG NIX_CONFIG BOTO_CONFIG KUBECONFIG
        AWS_SHARED_CREDENTIALS_FILE GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES PGSERVICEFILE PGSYSCONFDIR
        CONFIG_SITE WGETRC CURLRC NETRC SCREENRC PSQLRC IRBRC PRYRC GEMRC CONDARC MYVIMRC""",
    ),
    # Build tools and package managers turn each of their options into a variable: indexes, hooks, plug-ins.
    _family(
        "a build tool or a package manager reads it",
        """PIP_* PIPX_* PIPENV_* UV_* POETRY_* CONDA_* MAMBA_* VIRTUAL_ENV NPM_CONFIG_* YARN_* PNPM_* COREPACK_*
        CARGO_* RUSTC* RUSTDOC* RUSTUP_* GOROOT GOENV GOPROXY GOSUMDB GONOSUMDB GONOPROXY GOPRIVATE GOINSECURE
        GOAUTH GOTOOLDIR GOTOOLCHAIN GOVCS CGO_* GEM_* BUNDLE_GEMFILE BUNDLE_APP_CONFIG BUNDLE_USER_*
        BUNDLE_MIRROR* BUNDLE_BUILD* CMAKE_* PKG_CONFIG* CCACHE_* COMPOSER_* ANSIBLE_* HOMEBREW_* TF_CLI_*
        TF_PLUGIN_* TF_REATTACH_PROVIDERS""",
        exceptions=f"{_CREDENTIALS} POETRY_PYPI_TOKEN_* COMPOSER_AUTH GEM_HOST_API_KEY NPM_CONFIG__AUTH",
    ),
    # Anyone who controls the proxy or the certificates can read every other secret in transit.
    _family(
        "it decides where connections go or whom they trust",
        """*_PROXY HOSTALIASES LOCALDOMAIN RES_OPTIONS RESOLV_* NIS_PATH SSL_CERT_* SSLKEYLOGFILE *_CA_BUNDLE
        *_CA_CERTS *_CA_FILE *_CACERT *_CAFILE *_CAINFO *_CAPATH OPENSSL_* GNUTLS_* *_TLS_REJECT_UNAUTHORIZED
        *_SSL_NO_VERIFY *_TLS_VERIFY KRB5* DOCKER_HOST DOCKER_CONTEXT CONTAINER_HOST""",
    ),
)
