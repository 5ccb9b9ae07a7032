/** Names that mean one thing only, at whatever depth they stand. */
import type { Group } from "./model.js"

export const keysAnywhere: Group = {
  title: "Keys and tokens, at any depth",
  where: "anywhere",
  closed: "always",
  lifts: false,
  entries: [
    [".ssh", "keys of SSH"],
    ["id_rsa", "a key of SSH"],
    ["id_dsa", "a key of SSH"],
    ["id_ecdsa", "a key of SSH"],
    ["id_ecdsa_sk", "a key of SSH"],
    ["id_ed25519", "a key of SSH"],
    ["id_ed25519_sk", "a key of SSH"],
    ["id_xmss", "a key of SSH"],
    ["*.ppk", "a key of PuTTY"],
    [".gnupg", "keys of GnuPG"],
    [".aws/credentials", "keys of Amazon Web Services"],
    [".aws/sso/cache", "tokens of Amazon Web Services"],
    [".aws/cli/cache", "tokens of Amazon Web Services"],
    ["application_default_credentials.json", "a token of Google Cloud"],
    [".azure/accesstokens.json", "tokens of Azure"],
    [".azure/msal_token_cache.*", "tokens of Azure"],
    [".password-store", "a store of passwords"],
    ["*.kdbx", "a store of passwords"],
    [".git-credentials", "passwords of repositories"],
    [".netrc", "passwords of servers"],
    [".htpasswd", "passwords of a web server"],
    [".pgpass", "passwords of PostgreSQL"],
    [".mylogin.cnf", "passwords of MySQL"],
    [".vault-token", "a token of Vault"],
    [".terraform.d/credentials.tfrc.json", "a token of Terraform"],
    [".cargo/credentials", "a token of crates.io"],
    [".cargo/credentials.toml", "a token of crates.io"],
    [".claude/.credentials.json*", "tokens of Claude Code"],
    [".codex/auth.json", "tokens of Codex"],
    [".gemini/oauth_creds.json", "tokens of Gemini CLI"],
    [".qwen/oauth_creds.json", "tokens of Qwen Code"],
    [".local/share/opencode/auth.json", "tokens of opencode"],
    [".aider/oauth-keys.env", "keys of aider"]
  ]
}

export const state: Group = {
  title: "State of Bailiwick, at any depth",
  where: "anywhere",
  closed: "always",
  lifts: false,
  entries: [
    [".bailiwick", "storage, attachments and logs of all sessions"],
    [
      ".local/state/bailiwick",
      "the same of programs without a workspace, and what isolated tools are started from"
    ]
  ]
}

export const histories: Group = {
  title: "Histories of shells, interpreters and databases, at any depth",
  where: "anywhere",
  closed: "always",
  lifts: false,
  entries: [
    [".*_history*", "commands and lines, with the passwords that were typed into them"],
    [".*-history", "commands and lines"],
    [".zsh_sessions", "commands"],
    [".bash_sessions", "commands"],
    [".local/share/mcfly", "commands"],
    [".local/share/ptpython/history", "lines typed into Python"],
    [".local/state/less/history", "what was searched for in texts"],
    [".zhistory", "commands"],
    [".histfile", "commands"],
    ["fish_history", "commands"],
    ["consolehost_history.txt", "commands of PowerShell"],
    [".config/nushell/history.*", "commands"],
    [".local/share/atuin", "commands"],
    [".ipython/profile_*/history.sqlite*", "lines typed into IPython"],
    ["deno_history.txt", "lines typed into Deno"],
    [".local/share/pry", "lines typed into Ruby"],
    [".rhistory", "lines typed into R"],
    [".octave_hist", "lines typed into Octave"],
    [".julia/logs", "lines typed into Julia"],
    [".ghc/ghci_history", "lines typed into GHCi"],
    [".cache/erlang-history", "lines typed into Erlang"],
    [".lldb", "lines typed into a debugger"],
    [".config/pgcli", "queries and passwords"],
    [".config/litecli", "queries"],
    [".dbshell", "queries"],
    [".mongodb/mongosh", "queries"],
    [".mongosh", "queries"],
    [".cassandra/cqlsh_history", "queries"],
    [".snowsql", "queries and passwords"],
    [".lesshst", "what was searched for in texts"],
    [".viminfo", "texts and commands of Vim"],
    [".local/state/nvim/shada", "texts and commands of Neovim"],
    [".local/share/nvim/shada", "texts and commands of Neovim"],
    [".aider.chat.history.md", "conversations with aider"],
    [".aider.input.history", "conversations with aider"]
  ]
}

export const authorities: Group = {
  title: "What a later run takes its authority from, at any depth",
  where: "anywhere",
  closed: "to change",
  lifts: false,
  entries: [
    ["bailiwick.yaml", "the workspace: tools, servers, sandbox"],
    ["bailiwick.lock.json", "what tools were approved to touch"],
    ["node_modules/bailiwick", "the command itself, with what is kept of its compiled code"],
    ["personalities/**/config.yaml", "a personality"],
    ["personalities/**/toolset.yaml", "the toolset of a personality"],
    ["personalities/*.yaml", "a personality"],
    ["records/agents/**/*.md", "an agent's record"]
  ]
}

export const code: Group = {
  title: "What decides which code a command loads, in the root of the workspace",
  where: "workspace",
  closed: "to change",
  lifts: false,
  entries: [
    ["package.json", "packages, and scripts that run when they are installed"],
    ["package-lock.json", "which packages are installed by npm"],
    ["npm-shrinkwrap.json", "which packages are installed by npm"],
    ["node_modules", "packages that are loaded as code"],
    ["yarn.lock", "which packages are installed by Yarn"],
    [".pnp.cjs", "which files Yarn loads for a package"],
    [".pnp.loader.mjs", "which files Yarn loads for a package"],
    [".yarn/cache", "packages that are loaded as code"],
    [".yarn/unplugged", "packages that are loaded as code"],
    ["pnpm-lock.yaml", "which packages are installed by pnpm"],
    ["bun.lock", "which packages are installed by Bun"],
    ["bun.lockb", "which packages are installed by Bun"],
    ["deno.lock", "which packages are loaded by Deno"],
    ["bailiwick.lock.json", "what tools were approved to touch"]
  ]
}
