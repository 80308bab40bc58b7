"""Classify paths: places of secrets, files that programs load or agents follow, files that control later runs."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable
from fnmatch import translate
from functools import lru_cache
from importlib.resources import files as resources
from itertools import pairwise

from askback.domain.policy.reasons import Reason

_NAMES = frozenset(
    """
    .ssh .gnupg .aws .azure .kube .docker .netrc _netrc .npmrc .pypirc .pgpass pgpass.conf .my.cnf .mylogin.cnf
    .git-credentials .vault-token .htpasswd htpasswd .oci .oci_api_keys .bluemix .aliyun .tccli .hcloud .linode-cli
    .bash_history .zsh_history .sh_history .ash_history .ksh_history .histfile .history .fish_history fish_history
    .python_history .psql_history .mysql_history .sqlite_history .irb_history .pry_history .rediscli_history .dbshell
    .node_repl_history .lesshst .viminfo .nsr consolehost_history.txt
    id_rsa id_dsa id_ecdsa id_ecdsa_sk id_ed25519 id_ed25519_sk ssh_host_rsa_key ssh_host_ecdsa_key
    ssh_host_ed25519_key authorized_keys known_hosts credentials credentials.json credentials.yml credentials.yaml
    credentials.toml credentials.xml credentials.db .credentials .credentials.json credentials.tfrc.json
    secrets.json secrets.yaml secrets.yml secrets.toml secrets.xml secrets.ini secrets.env .secrets .secret
    secret.json secret.yaml secret.yml secret.key secret_token.rb secrets.yml.key vault.json .vault_pass .vault_password
    .boto .s3cfg .passwd-s3fs .smbcredentials rclone.conf .rclone.conf .msmtprc .fetchmailrc .mutt .muttrc
    .terraformrc terraform.rc .terraform.d .dockercfg shadow shadow- gshadow sudoers sudoers.d keyrings environ .envrc
    master.passwd krb5.keytab .gitconfig terraform.tfvars secrets kubeconfig .kubeconfig admin.conf
    master.key wallet.dat keystore.json server.json askback.db
    service-account.json service_account.json serviceaccount.json serviceaccountkey.json terraform.tfstate
    local.settings.json application_default_credentials.json oauth_creds.json client_secret.json client_secrets.json
    token.json .token .tokens auth.json .auth.json access_token refresh_token .claude.json .authinfo .authinfo.gpg
    cookies.sqlite cookies.txt logins.json key3.db key4.db signons.sqlite .password-store .mozilla .thunderbird
    .1password .bitwarden .lastpass .electrum .bitcoin .ethereum .solana .keychain .heroku .netlify .snyk
    wp-config.php .pgadmin .dbeaver-data-sources.xml datasources.local.xml .jupyter_token nbsignature_secret
    .secrets.toml .mcp.json claude_desktop_config.json .dockerconfigjson .renviron
    .yarnrc.yml .databrickscfg .sentryclirc .ftpconfig sftp.json .aws-credentials
    """.split()
)
_SECRET_FOLDERS = frozenset(
    tuple(pair.split("/"))
    for pair in frozenset(
        """
    .git/config .git/hooks .git/credentials gh/hosts.yml gh/hosts.yaml glab-cli/config.yml .config/gh .config/gcloud
    .config/op .config/hub .config/doctl .config/stripe .config/heroku .config/netlify .config/rclone
    .config/configstore
    .config/google-chrome .config/chromium .config/bravesoftware .config/microsoft-edge .config/github-copilot
    .config/containers .config/sops .config/age .config/pip .config/vercel .config/fly .config/wrangler .config/gitlab
    .config/1password .config/keybase .config/yandex-cloud .config/argocd .config/helm .config/zed .config/filezilla
    google/chrome bravesoftware/brave-browser microsoft/edge firefox/profiles application/keychains library/keychains
    library/cookies .codex/auth.json .gemini/oauth_creds.json .gemini/google_accounts.json .qwen/oauth_creds.json
    .cargo/credentials.toml .gem/credentials .m2/settings.xml .m2/settings-security.xml .gradle/gradle.properties
    .composer/auth.json .nuget/nuget.config .fly/config.yml .railway/config.json .wrangler/config .ngrok2/ngrok.yml
    .ngrok/ngrok.yml .cloudflared/cert.pem .minikube/certs .expo/state.json .pulumi/credentials.json .cache/huggingface
    .huggingface/token huggingface/token .kaggle/kaggle.json .openai/auth.json .anthropic/api_key
    .cursor/mcp.json age/keys.txt .age/keys.txt
    default/cookies network/cookies share/askback support/askback local/askback .askback/server.json
    docker/config.json containers/auth.json .subversion/auth .irssi/config .weechat/sec.conf
    """.split()
    )
)
"""Names below certain folders, anywhere in a path."""
_NAMED = re.compile(
    r"askback\.db[-.].*|client_secret[-_.].*\.json|.*service[-_]?account.*\.json|.*firebase-adminsdk.*\.json"
    r"|.*-credentials\.(?:json|ya?ml|csv)|.*accesskeys\.csv|.*\.tfstate(?:\..*)?|.*\.(?:auto\.)?tfvars(?:\.json)?"
    r"|snapshot_blob.*\.key|ssh_host_.*_key|.*_(?:rsa|dsa|ecdsa|ed25519)|dump\.rdb|.*\.hprof|core\.\d+"
)
_START_UP = frozenset(
    """
    .bashrc .bash_profile .bash_login .profile .zshrc .zprofile .zshenv .gitconfig .gitmodules .vimrc
    .inputrc crontab
    """.split()
)
_ENDINGS = tuple(
    """
    .pem .key .p8 .p12 .pfx .pvk .jks .bcfks .keystore .kdbx .kdb .ppk .asc
    .gpg .pgp .age .keytab .ovpn .keychain .keychain-db .agilekeychain .opvault .psafe3
    .secret .secrets .token .jwk .jwks.json .tfstate .netrc .htpasswd
    """.split()
)
_DOT_ENV = re.compile(
    r"\.(?:env|envrc|flaskenv|dev\.vars)(?:[-_.\d].*)?|.+\.env|env\.(?:local|prod|production|staging)"
)
_EXAMPLES = (".example", ".sample", ".template", ".dist", "-example", "_example", "-sample", "_sample")
_COPY = re.compile(r"(.+?)(?:~|\.(?:bak|backup|copy|old|orig|save|swp|tmp))+")
_SPLIT = re.compile(r"[=:@,]")
_SCHEME = re.compile(r"\s*[A-Za-z][A-Za-z0-9+.-]*:")
_EXPANDED = re.compile(r"[$%\x00-\x1f]")
_NAME_MAX = 256  # no operating system allows longer file names
_PROC = frozenset({"cpuinfo", "meminfo", "version", "loadavg", "uptime"})


def components(path: str) -> list[str]:
    """Return the components of a path in lower case, without `.` and with `..` resolved where possible."""
    parts: list[str] = []
    for part in path.casefold().replace("\\", "/").split("/"):
        if part == ".." and parts and parts[-1] != "..":
            parts.pop()
        elif part not in {"", "."}:
            parts.append(part)
    return parts


def why_sensitive(words: Iterable[str]) -> Reason | None:
    """Return which argument reaches a place that holds secrets; None if none does.

    An argument is also checked after `=`, `:`, `@` and `,`, where options and programs take paths.
    """
    for word in words:
        for part in {word, *_SPLIT.split(word)}:
            if part and is_secret_path(part):
                return Reason("secret_place", path=word)
    return None


def is_secret_path(path: str) -> bool:
    """Return whether a path is a device, a process, or a file that usually holds secrets."""
    names = [name.rstrip(" .") or name for name in components(path)]  # as Windows opens them
    if not names:
        return False
    if copied := _COPY.fullmatch(names[-1][:_NAME_MAX]):
        names[-1] = copied[1]
    if path.startswith("/") and names[0] == "proc":
        return len(names) != 2 or names[1] not in _PROC
    if path.startswith("/") and names[0] == "dev":
        return names[1:] != ["null"]
    if names[:2] == ["etc", "passwd"]:
        return True
    if not _NAMES.isdisjoint(names) or not _SECRET_FOLDERS.isdisjoint(pairwise(names)):
        return True
    last_name = names[-1]
    return bool(
        last_name.endswith(_ENDINGS)
        or (len(last_name) < _NAME_MAX and _NAMED.fullmatch(last_name) and not last_name.endswith(".pub"))
        or (_DOT_ENV.fullmatch(last_name) and not last_name.endswith(_EXAMPLES))
    )


def secret_path_examples() -> frozenset[str]:
    """Return paths that `is_secret_path` recognises, at least one for each of its checks."""
    dotted_names = {
        ".env",
        ".env.local",
        ".env.production",
        ".env.development",
        ".env.test",
        "prod.env",
        ".env.json",
    }
    secret_files = {folder_and_name[1] for folder_and_name in _SECRET_FOLDERS}
    return frozenset(
        {*_NAMES, *secret_files, *dotted_names, *(f"x{suffix}" for suffix in _ENDINGS), "x.tfvars", "x_rsa"}
    )


def is_autorun_path(path: str) -> bool:
    """Return whether writing a file changes what runs later: start-up files, hooks, configuration of tools."""
    names = components(path)
    return any(
        name in _START_UP or name in {".git", ".ssh", ".github", ".vscode", ".husky"} for name in names
    )


def leaves_folder(path: str) -> bool:
    """Return whether a path may leave the folder that it is relative to: by `..`, a root, a home, another scheme.

    A variable or a blank at the end counts as well: the program that opens the path may expand or drop it.
    """
    return (
        path.startswith(("/", "~", "\\"))
        or path != path.strip()
        or ".." in path.replace("\\", "/").split("/")
        or bool(_SCHEME.match(path) or _EXPANDED.search(path))
    )


def without_scheme(path: str) -> str:
    """Return the path of a URL such as `file:///etc/hosts`, or the part after a drive letter."""
    return _SCHEME.sub("", path, count=1)


EDIT_LISTS: dict[str, list[str]] = json.loads(
    resources("askback.domain.policy").joinpath("edits.json").read_text("utf-8")
)
_TEMPLATES = frozenset(EDIT_LISTS["template_endings"])
_CODE = frozenset(EDIT_LISTS["source_endings"]) - _TEMPLATES


def is_loaded_path(path: str) -> bool:
    """Return whether a tool loads a file or an agent follows it, by its name."""
    folded_names = [fold_name(name) for name in path.split("/") if name not in {"", ".", ".."}]
    return bool(folded_names) and is_listed_name(folded_names)


def fold_name(name: str) -> str:
    """Normalize a name as file systems do that ignore case and variants of letters."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())


def is_listed_name(folded_names: list[str]) -> bool:
    """Return whether a path, by its folded components, is in the lists; also as a template of a listed file."""
    last = folded_names[-1]
    while True:
        full_path = [*folded_names[:-1], last]
        if any(name_pattern("names").match("/".join(full_path[index:])) for index in range(len(full_path))):
            return True
        if name_pattern("root").match("/".join(full_path)):
            return True
        stem, dot, suffix = last.rpartition(".")
        if suffix not in _CODE and name_pattern("without_code").match(last):
            return True
        if not dot or suffix not in _TEMPLATES:
            return False
        last = stem


@lru_cache(maxsize=4)
def name_pattern(group: str) -> re.Pattern[str]:
    """Return the pattern of a list.

    These are `folders`, `names`, `root` for names that count in a root only, and `without_code` for names that count
    with any extension except that of a programming language.
    """
    names = EDIT_LISTS["names"]
    globs = {
        "folders": EDIT_LISTS["folders"],
        "names": [name for name in names if not name.startswith("/")],
        "root": [name[1:] for name in names if name.startswith("/")],
        "without_code": [glob for name in EDIT_LISTS["names_without_code"] for glob in (name, f"{name}.*")],
    }[group]
    return re.compile("|".join(map(translate, globs)))
