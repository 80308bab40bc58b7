"""Programs that need special care: they run other programs, run code, or change the shell itself."""

from __future__ import annotations

WRAPPERS = frozenset(
    """
    env nice timeout sudo doas su runuser command builtin exec time nohup xargs parallel stdbuf setsid
    ionice chrt taskset unshare nsenter chroot script strace ltrace gdb lldb valgrind flock entr watch at
    batch busybox toybox setarch numactl prlimit firejail bwrap systemd-run caffeinate proxychains rlwrap
    unbuffer expect screen tmux dbus-run-session fakeroot linux32 linux64 run-parts start-stop-daemon
    catchsegv perf hyperfine coproc
    """.split()
)
"""Programs that run the command in their arguments. Only a rule that names every word allows them."""

STATE_BUILTINS = frozenset(
    """
    eval exec source . cd pushd popd export alias unalias trap hash set shopt unset declare typeset local
    readonly read mapfile readarray enable bind complete compgen compopt let getopts wait kill disown fg bg
    jobs suspend logout exit return break continue shift umask ulimit history fc dirs times builtin command
    caller help
    """.split()
)
"""Builtins that change the meaning of later commands, or run text. No rule allows them."""

_INTERPRETERS = frozenset(
    """
    sh bash dash zsh ksh mksh ash fish csh tcsh pwsh powershell python pypy perl ruby lua luajit node nodejs
    deno bun php tclsh wish Rscript R julia octave ghci scala groovy jshell irb ipython erl elixir iex guile
    racket sbcl clisp emacs vim vi nvim view ex ed m4 osascript swift crystal raku
    """.split()
)


def basename(program: str) -> str:
    """Return the last part of a program's path."""
    return program.rpartition("/")[2]


def without_version(name: str) -> str:
    """Return the name of a program without the version at its end: `python` for `python3.12`."""
    return name.rstrip("0123456789.")


def is_interpreter(program: str) -> bool:
    """Return whether a program runs code from its arguments, its standard input or a file: `python3.12`, `bash`."""
    name = basename(program)
    return name in _INTERPRETERS or without_version(name).removesuffix("-") in _INTERPRETERS
