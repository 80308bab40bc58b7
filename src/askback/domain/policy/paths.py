"""Paths that hold secrets or decide what runs later; a rule that does not name one of them does not reach it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise

from askback.domain.policy.reasons import Reason
from askback.domain.policy.wordlist import words

_NAMES = words(
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
    .yarnrc.yml .databrickscfg .sentryclirc .ftpconfig sftp.json .aws-credentials
    """
)
_BELOW = frozenset(
    tuple(pair.split("/"))
    for pair in words("""
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
    default/cookies network/cookies share/askback support/askback local/askback .askback/server.json
    docker/config.json containers/auth.json .subversion/auth .irssi/config .weechat/sec.conf
    """)
)
"""A name below the folder beside it, wherever both stand."""
_NAMED = re.compile(
    r"askback\.db[-.].*|client_secret[-_.].*\.json|.*service[-_]?account.*\.json|.*firebase-adminsdk.*\.json"
    r"|.*-credentials\.(?:json|ya?ml|csv)|.*accesskeys\.csv|.*\.tfstate(?:\..*)?|.*\.(?:auto\.)?tfvars(?:\.json)?"
    r"|snapshot_blob.*\.key|ssh_host_.*_key|.*_(?:rsa|dsa|ecdsa|ed25519)|dump\.rdb"
)
_START_UP = words(
    ".bashrc .bash_profile .bash_login .profile .zshrc .zprofile .zshenv .gitconfig .gitmodules .vimrc .inputrc crontab"
)
_ENDINGS = (
    *(
        ".pem",
        ".key",
        ".p8",
        ".p12",
        ".pfx",
        ".pvk",
        ".jks",
        ".bcfks",
        ".keystore",
        ".kdbx",
        ".kdb",
        ".ppk",
        ".asc",
    ),
    *(
        ".gpg",
        ".pgp",
        ".age",
        ".keytab",
        ".ovpn",
        ".keychain",
        ".keychain-db",
        ".agilekeychain",
        ".opvault",
        ".psafe3",
    ),
    *(".secret", ".secrets", ".token", ".jwk", ".jwks.json", ".tfstate", ".netrc", ".htpasswd"),
)
_DOT_ENV = re.compile(r"\.(?:env|envrc|flaskenv|dev\.vars)(?:[-_.\d].*)?|.+\.env")
_EXAMPLES = (".example", ".sample", ".template", ".dist", "-example", "_example", "-sample", "_sample")
_COPY = re.compile(r"(.+?)(?:~|\.(?:bak|backup|copy|old|orig|save|swp|tmp))+")
_SPLIT = re.compile(r"[=:@,]")
_SCHEME = re.compile(r"\s*[A-Za-z][A-Za-z0-9+.-]*:")
_EXPANDED = re.compile(r"[$%\x00-\x1f]")
_NAME_MAX = 256  # of no system is a file's name longer, and the pattern need not look at more
_PROC = frozenset({"cpuinfo", "meminfo", "version", "loadavg", "uptime"})


def parts(path: str) -> list[str]:
    """Return the components of a path in small letters, without `.` and with `..` taken back where it can be."""
    found: list[str] = []
    for part in path.casefold().replace("\\", "/").split("/"):
        if part == ".." and found and found[-1] != "..":
            found.pop()
        elif part not in {"", "."}:
            found.append(part)
    return found


def sensitive(words: Iterable[str]) -> Reason | None:
    """Say which of some arguments reaches a place that holds secrets; None when none does.

    An argument is also looked at behind `=`, `:`, `@` and `,`, where options and programs take paths.
    """
    for word in words:
        for piece in {word, *_SPLIT.split(word)}:
            if piece and secret_path(piece):
                return Reason("secret_place", path=word)
    return None


def secret_path(path: str) -> bool:
    """Tell whether a path is a device, a process, or a file where secrets are usually kept."""
    names = parts(path)
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
    if any(name in _NAMES for name in names):
        return True
    if any(pair in _BELOW for pair in pairwise(names)):
        return True
    last = names[-1]
    return bool(
        last.endswith(_ENDINGS)
        or (len(last) < _NAME_MAX and _NAMED.fullmatch(last) and not last.endswith(".pub"))
        or (_DOT_ENV.fullmatch(last) and not last.endswith(_EXAMPLES))
    )


def secret_examples() -> frozenset[str]:
    """Return names that `secret_path` knows, one at least for each way in which it knows them."""
    dotted = {
        ".env",
        ".env.local",
        ".env.production",
        ".env.development",
        ".env.test",
        "prod.env",
        ".env.json",
    }
    below = {pair[1] for pair in _BELOW}
    return frozenset({*_NAMES, *below, *dotted, *(f"x{ending}" for ending in _ENDINGS), "x.tfvars", "x_rsa"})


def steers(path: str) -> bool:
    """Tell whether writing a file changes what runs later: start-up files, hooks, configuration of tools."""
    names = parts(path)
    return any(
        name in _START_UP or name in {".git", ".ssh", ".github", ".vscode", ".husky"} for name in names
    )


def outside(path: str) -> bool:
    """Tell whether a path may lead out of the folder that it is relative to: up, to a root, a home, another scheme.

    A variable and a blank at an end count as well: what opens the path may expand the one and drop the other.
    """
    return (
        path.startswith(("/", "~", "\\"))
        or path != path.strip()
        or ".." in path.replace("\\", "/").split("/")
        or bool(_SCHEME.match(path) or _EXPANDED.search(path))
    )


def without_scheme(path: str) -> str:
    """Return the path of an address such as `file:///etc/hosts`, and what is behind the letter of a drive."""
    return _SCHEME.sub("", path, count=1)
