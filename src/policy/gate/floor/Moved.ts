/**
 * Places of the floor that variables of the environment move: a history, a file of credentials, a directory of
 * configuration that is not where it usually is.
 *
 * @since 0.1.0
 */
import { groups } from "./Places.js"

/**
 * What each variable names, which is closed to all. Some name several paths, or begin with a kind.
 *
 * @since 0.1.0
 * @category models
 */
export const variables: ReadonlyArray<readonly [name: string, reason: string]> = [
  ["HISTFILE", "commands"],
  ["PYTHON_HISTORY", "lines typed into Python"],
  ["NODE_REPL_HISTORY", "lines typed into Node"],
  ["PSQL_HISTORY", "queries"],
  ["MYSQL_HISTFILE", "queries"],
  ["SQLITE_HISTORY", "queries"],
  ["REDISCLI_HISTFILE", "queries"],
  ["LESSHISTFILE", "what was searched for in texts"],
  ["AWS_SHARED_CREDENTIALS_FILE", "keys of Amazon Web Services"],
  ["AWS_CONFIG_FILE", "keys of Amazon Web Services"],
  ["AWS_WEB_IDENTITY_TOKEN_FILE", "a token of Amazon Web Services"],
  ["GOOGLE_APPLICATION_CREDENTIALS", "a key of Google Cloud"],
  ["CLOUDSDK_CONFIG", "tokens of Google Cloud"],
  ["AZURE_CONFIG_DIR", "tokens of Azure"],
  ["AZURE_FEDERATED_TOKEN_FILE", "a token of Azure"],
  ["BOTO_CONFIG", "keys of cloud storage"],
  ["RCLONE_CONFIG", "keys of cloud storage"],
  ["KUBECONFIG", "credentials of clusters"],
  ["DOCKER_CONFIG", "credentials of registries"],
  ["REGISTRY_AUTH_FILE", "credentials of registries"],
  ["NPM_CONFIG_USERCONFIG", "tokens of npm"],
  ["PIP_CONFIG_FILE", "tokens of package indexes"],
  ["GH_CONFIG_DIR", "a token of GitHub"],
  ["GLAB_CONFIG_DIR", "a token of GitLab"],
  ["TF_CLI_CONFIG_FILE", "tokens of Terraform"],
  ["HF_TOKEN_PATH", "a token of Hugging Face"],
  ["NETRC", "passwords of servers"],
  ["PGPASSFILE", "passwords of PostgreSQL"],
  ["GNUPGHOME", "keys of GnuPG"],
  ["PASSWORD_STORE_DIR", "a store of passwords"],
  ["SOPS_AGE_KEY_FILE", "keys of SOPS"],
  ["ANSIBLE_VAULT_PASSWORD_FILE", "passwords of Ansible"],
  ["KRB5_KTNAME", "keys of Kerberos"],
  ["KRB5CCNAME", "tickets of Kerberos"],
  ["XAUTHORITY", "who may use the screen"],
  ["CLAUDE_CONFIG_DIR", "tokens and conversations of Claude Code"],
  ["CODEX_HOME", "tokens and conversations of Codex"]
]

/** The directories that the base directory specification moves, and where they are otherwise, below a home. */
const bases: ReadonlyArray<readonly [name: string, usual: string]> = [
  ["XDG_CONFIG_HOME", ".config/"],
  ["XDG_DATA_HOME", ".local/share/"],
  ["XDG_STATE_HOME", ".local/state/"],
  ["XDG_CACHE_HOME", ".cache/"]
]

/**
 * @since 0.1.0
 * @category models
 */
export type Environment = Readonly<Record<string, string | undefined>>

const pathsIn = (value: string | undefined): ReadonlyArray<string> =>
  (value ?? "").split(":").filter((path) => path.startsWith("/"))

/** All that is closed below a home, by its path from there; a name that may go on, without what follows. */
const closedInHomes = (): ReadonlyArray<readonly [path: string, reason: string]> =>
  groups
    .filter(({ closed, where }) => closed === "always" && where !== "root")
    .flatMap(({ entries }) => entries.map(([path, reason]) => [path.replace(/\*$/, ""), reason] as const))
    .filter(([path]) => !path.includes("*"))

/**
 * The absolute paths that an environment moves what is closed to, each with its reason.
 *
 * @since 0.1.0
 * @category deciding
 */
export const movedBy = (environment: Environment): ReadonlyArray<readonly [path: string, reason: string]> => [
  ...variables.flatMap(([name, reason]) => pathsIn(environment[name]).map((path) => [path, reason] as const)),
  ...bases.flatMap(([name, usual]) =>
    pathsIn(environment[name]).flatMap((base) =>
      closedInHomes().flatMap(([path, reason]) =>
        path.startsWith(usual) ? [[`${base}/${path.slice(usual.length)}`, reason] as const] : []
      )
    )
  )
]
