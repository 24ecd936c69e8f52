"""Where secrets usually lie: what a command in the sandbox must not read, whoever runs it."""

from collections.abc import Iterator
from pathlib import Path

IN_HOME = (
    # keys, and the sockets of their agents
    *(".ssh", ".gnupg", ".password-store", ".age", ".config/sops/age", ".1password", ".config/op"),
    *(".local/share/keyrings", ".gnome2/keyrings", ".local/share/kwalletd", ".config/Bitwarden"),
    *(".config/keepassxc", ".pki", ".Xauthority", ".ICEauthority", ".krb5"),
    # clouds and clusters
    *(
        ".aws",
        ".azure",
        ".config/gcloud",
        ".config/doctl",
        ".config/heroku",
        ".config/hcloud",
        ".config/linode-cli",
    ),
    *(".oci", ".fly", ".boto", ".s3cfg", ".config/rclone", ".kube", ".minikube", ".docker/config.json"),
    *(".docker/run", ".docker/desktop", ".config/containers/auth.json", ".colima", ".lima", ".rd"),
    *(".terraform.d/credentials.tfrc.json", ".terraformrc", ".vault-token", ".config/pulumi", ".pulumi"),
    # hosts, registries, databases
    *(".netrc", "_netrc", ".git-credentials", ".config/git/credentials", ".config/gh", ".config/hub"),
    *(".config/glab-cli", ".config/github-copilot", ".npmrc", ".pypirc"),
    *(".cargo/credentials", ".cargo/credentials.toml", ".gem/credentials", ".composer/auth.json"),
    *(
        ".m2/settings-security.xml",
        ".huggingface",
        ".cache/huggingface/token",
        ".kaggle",
        ".pgpass",
        ".my.cnf",
        ".mylogin.cnf",
        ".dbshell",
    ),
    # browsers, mail, talk
    *(".mozilla", ".thunderbird", ".config/google-chrome", ".config/chromium", ".config/BraveSoftware"),
    *(".config/microsoft-edge", ".config/vivaldi", ".config/opera", ".var/app", "snap", ".config/Slack"),
    *(".config/discord", ".config/Signal", ".config/evolution", ".local/share/evolution"),
    # what was typed, and other agents
    *(
        ".bash_history",
        ".zsh_history",
        ".python_history",
        ".psql_history",
        ".mysql_history",
        ".node_repl_history",
    ),
    *(".local/share/fish/fish_history", ".claude", ".claude.json", ".codex", ".gemini", ".config/goose"),
)
"""Below the home folder."""
OF_THE_SYSTEM = (
    "/etc/shadow",
    "/etc/shadow-",
    "/etc/gshadow",
    "/etc/gshadow-",
    "/etc/sudoers",
    "/etc/sudoers.d",
)
_SYSTEM_GLOBS = (
    "ssh/ssh_host_*_key",
    "ssl/private",
    "NetworkManager/system-connections",
    "wireguard",
    "krb5.keytab",
)
SOCKETS = Path("/run")
"""Sockets of the desktop, of containers and of the system: a read-only mount does not keep anybody from talking to them."""
NEEDED_OF_RUN = (
    *(
        "/run/systemd/resolve",
        "/run/resolvconf",
        "/run/NetworkManager/resolv.conf",
        "/run/NetworkManager/no-stub-resolv.conf",
    ),
    *("/run/current-system", "/run/booted-system", "/run/opengl-driver", "/run/wrappers"),
)
"""Of that folder stays what names are resolved by, and where NixOS has its programs."""
STARTED_FROM_HOME = (
    *(
        ".bashrc",
        ".bash_profile",
        ".bash_login",
        ".bash_logout",
        ".bash_aliases",
        ".profile",
        ".zshrc",
        ".zshenv",
    ),
    *(
        ".zprofile",
        ".zlogin",
        ".kshrc",
        ".inputrc",
        ".gitconfig",
        ".config/git",
        ".config/fish",
        ".config/autostart",
    ),
    *(
        ".config/systemd",
        ".config/environment.d",
        ".local/bin",
        "bin",
        ".xprofile",
        ".xsessionrc",
        ".tmux.conf",
    ),
    *(".vimrc", ".config/nvim", ".pam_environment", ".local/share/applications"),
)
"""Below the home folder: what runs when the user next logs in, opens a shell or a program."""


def secrets(home: Path) -> Iterator[Path]:
    """Yield the places that are hidden, whether they exist or not; ``home`` is the user's home folder."""
    yield from (home / name for name in IN_HOME)
    yield from map(Path, OF_THE_SYSTEM)
    for pattern in _SYSTEM_GLOBS:
        yield from Path("/etc").glob(pattern)
