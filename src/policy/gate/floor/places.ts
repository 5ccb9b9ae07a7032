/** The places of the floor of files, each a name with what is below it. Lower case: letters are compared folded. */

/** At the root: credentials of the machine. */
export const system: ReadonlyArray<string> = [
  "etc/shadow*",
  "etc/gshadow*",
  "etc/sudoers*",
  "etc/security/opasswd",
  "etc/master.passwd",
  "etc/krb5.keytab",
  "etc/ssh/ssh_host_*_key",
  "etc/ssl/private",
  "etc/pki/tls/private",
  "etc/letsencrypt",
  "etc/wireguard",
  "etc/networkmanager/system-connections",
  "etc/kubernetes",
  "etc/rancher",
  "var/lib/kubelet",
  "var/lib/rancher",
  "var/run/secrets",
  "run/secrets",
  "run/credentials",
  "var/db/dslocal",
  "library/keychains"
]

/** At the root: what the kernel shows of processes and devices. */
export const kernel: ReadonlyArray<string> = ["proc", "sys", "dev"]

/** At any depth: names that mean one thing only. */
export const anywhere: ReadonlyArray<string> = [
  ".ssh",
  ".gnupg",
  ".aws/credentials",
  ".password-store",
  ".git-credentials",
  ".vault-token",
  ".netrc",
  ".bailiwick",
  "id_rsa",
  "id_dsa",
  "id_ecdsa",
  "id_ecdsa_sk",
  "id_ed25519",
  "id_ed25519_sk",
  "id_xmss"
]

/** In a home: credentials of its owner. */
export const homes: ReadonlyArray<string> = [
  ".aws",
  ".azure",
  ".kube",
  ".oci",
  "_netrc",
  ".pgpass",
  ".my.cnf",
  ".boto",
  ".s3cfg",
  ".databrickscfg",
  ".npmrc",
  ".yarnrc.yml",
  ".pypirc",
  ".gem/credentials",
  ".cargo/credentials*",
  ".m2/settings*.xml",
  ".gradle/gradle.properties",
  ".nuget/nuget/nuget.config",
  ".composer/auth.json",
  ".docker/config.json",
  ".terraform.d/credentials.tfrc.json",
  ".subversion/auth",
  ".xauthority",
  ".config/gcloud",
  ".config/gh/hosts.yml",
  ".config/hub",
  ".config/glab-cli",
  ".config/git/credentials",
  ".config/containers/auth.json",
  ".config/composer/auth.json",
  ".config/pip",
  ".config/doctl",
  ".config/rclone",
  ".config/sops",
  ".config/op",
  ".config/helm",
  ".local/share/keyrings",
  ".local/share/kwalletd",
  ".mozilla",
  ".thunderbird",
  ".config/google-chrome*",
  ".config/chromium",
  ".config/bravesoftware",
  ".config/microsoft-edge*",
  ".config/opera*",
  ".config/vivaldi*",
  "snap/firefox",
  "snap/chromium",
  ".var/app/*/config/google-chrome",
  ".var/app/*/config/chromium",
  ".var/app/*/.mozilla",
  "library/keychains",
  "library/cookies",
  "library/safari",
  "library/application support/firefox",
  "library/application support/google/chrome*",
  "library/application support/chromium",
  "library/application support/bravesoftware",
  "library/application support/microsoft edge*",
  "library/application support/vivaldi*",
  "library/application support/com.apple.tcc"
]

/** At the root, to write: what the machine runs by itself, and who may use it. */
export const startup: ReadonlyArray<string> = [
  "etc/cron*",
  "etc/anacrontab",
  "var/spool/cron",
  "var/at",
  "etc/profile*",
  "etc/bash.bashrc",
  "etc/bashrc",
  "etc/environment",
  "etc/zsh*",
  "etc/zprofile",
  "etc/fish",
  "etc/ld.so.*",
  "etc/init.d",
  "etc/rc*",
  "etc/systemd",
  "usr/lib/systemd",
  "usr/local/lib/systemd",
  "lib/systemd",
  "run/systemd",
  "etc/udev",
  "etc/xdg/autostart",
  "etc/pam.d",
  "etc/passwd*",
  "etc/group*",
  "etc/subuid",
  "etc/subgid",
  "etc/ssh",
  "etc/doas.conf",
  "etc/polkit-1",
  "library/launchagents",
  "library/launchdaemons",
  "library/startupitems"
]

/**
 * At any depth, to write: what git runs. Not only its hooks and settings: other files of the directory, or a file of
 * that name, say where else those are read from.
 */
export const repositories: ReadonlyArray<string> = [".git"]

/** At any depth, to write: what the authority of a later run is read from, in whatever workspace. */
export const authorities: ReadonlyArray<string> = [
  "bailiwick.yaml",
  "personalities/**/config.yaml",
  "personalities/**/toolset.yaml",
  "personalities/*.yaml",
  "records/agents/**/*.md"
]

/** In a home, to write: what its owner's next session runs. */
export const persistence: ReadonlyArray<string> = [
  ".bashrc",
  ".bash_profile",
  ".bash_login",
  ".bash_logout",
  ".bash_aliases",
  ".profile",
  ".zshrc",
  ".zshenv",
  ".zprofile",
  ".zlogin",
  ".zlogout",
  ".kshrc",
  ".cshrc",
  ".tcshrc",
  ".login",
  ".inputrc",
  ".pam_environment",
  ".xprofile",
  ".xinitrc",
  ".xsession",
  ".xsessionrc",
  ".gitconfig",
  ".config/git",
  ".config/fish",
  ".config/autostart",
  ".config/environment.d",
  ".config/systemd",
  ".local/share/systemd",
  ".config/plasma-workspace",
  ".crontab",
  "library/launchagents",
  "library/launchdaemons"
]
