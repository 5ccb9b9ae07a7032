/**
 * Threats: a policy that reaches a home hands out what its owner typed and what other agents log in with; a tool that
 * may write in a project leaves something behind that an editor, a push or an installation runs.
 */
import { describe, expect, it } from "@effect/vitest"
import { Either } from "effect"
import { ask, holder } from "../../src/policy/gate/Asking.js"
import * as Floor from "../../src/policy/gate/floor/Floor.js"
import { groups } from "../../src/policy/gate/floor/Places.js"
import * as Authority from "../../src/policy/lattice/Authority.js"
import * as Request from "../../src/policy/lattice/Request.js"

type Action = "read" | "write" | "delete"

const ada: Floor.Floor = { homes: ["/home/ada"], guarded: [] }

const opens = (action: Action, path: string, floor: Floor.Floor = ada): boolean =>
  Either.isRight(ask(holder({ authority: Authority.everything, floor }), Request.file(action, path)))

const actions: ReadonlyArray<Action> = ["read", "write", "delete"]
const NEVER = [false, false, false]
const TO_READ = [true, false, false]
const ALWAYS = [true, true, true]

const expectAll = (paths: ReadonlyArray<string>, opened: ReadonlyArray<boolean>, floor = ada) => {
  for (const path of paths) {
    expect([path, ...actions.map((action) => opens(action, path, floor))]).toEqual([path, ...opened])
  }
}

describe("what nobody reads", () => {
  it("histories of shells, interpreters and databases, in homes and wherever they are copied", () => {
    expectAll(
      ["/home/ada", "/root", "/backup/2020"].flatMap((home) =>
        [
          ".bash_history",
          ".bash_history-01234.tmp",
          ".any_history",
          ".other-history",
          ".zsh_sessions/x.history",
          ".local/share/mcfly/history.db",
          ".local/share/ptpython/history",
          ".local/state/less/history",
          ".zsh_history",
          ".local/share/fish/fish_history",
          ".python_history",
          ".node_repl_history",
          ".irb_history",
          ".psql_history",
          ".mysql_history",
          ".sqlite_history",
          ".rediscli_history",
          ".mongodb/mongosh/mongosh_repl_history",
          ".local/share/atuin/history.db",
          ".lesshst",
          ".viminfo"
        ].map((name) => `${home}/${name}`)
      ),
      NEVER
    )
  })

  it("tokens of other agents, editors and command lines", () => {
    expectAll(
      [
        ".claude/.credentials.json",
        ".claude.json",
        ".claude.json.backup",
        ".claude/.credentials.json.bak",
        ".mcp-auth/x/tokens.json",
        ".pi/agent/auth.json",
        ".kimi/config.json",
        ".grok/user-settings.json",
        ".iflow/oauth_creds.json",
        ".local/share/kiro-cli/data.sqlite3",
        ".local/share/amazon-q/data.sqlite3",
        ".config/VSCodium/User/globalStorage/state.vscdb",
        ".cursor-server/data/User/globalStorage/state.vscdb",
        ".codex/config.toml",
        ".gemini/settings.json",
        ".snowflake/connections.toml",
        ".dbt/profiles.yml",
        ".ivy2/.credentials",
        ".sbt/.credentials",
        ".conan2/credentials.json",
        ".config/rbw/config.json",
        ".foundry/keystores/x",
        ".slack/credentials.json",
        ".codex/auth.json",
        ".gemini/oauth_creds.json",
        ".local/share/opencode/auth.json",
        ".config/github-copilot/hosts.json",
        ".copilot/config.json",
        ".cursor/mcp.json",
        ".config/Cursor/User/globalStorage/state.vscdb",
        ".config/Code/User/globalStorage/state.vscdb",
        ".codeium/config.json",
        ".continue/config.json",
        ".config/goose/secrets.yaml",
        ".aider.conf.yml",
        ".config/io.datasette.llm/keys.json",
        ".config/gh/hosts.yml",
        ".config/glab-cli/config.yml",
        ".fly/config.yml",
        ".config/netlify/config.json",
        ".cache/huggingface/token",
        ".dockercfg",
        ".npmrc"
      ].map((name) => `/home/ada/${name}`),
      NEVER
    )
  })

  it("what only macOS keeps in homes, there and not below /home", () => {
    const names = ["Library/Application Support/Code/User/globalStorage/state.vscdb", "Library/Mail/x"]
    for (const home of ["/Users/bob", "/var/root", "/private/var/root"]) {
      expectAll(
        names.map((name) => `${home}/${name}`),
        NEVER
      )
    }
    expectAll(["/private/var/root/.aws/credentials", "/private/var/root/.kube/config"], NEVER)
    expectAll(["/home/ada/Library/Mail/x", "/home/ada/library/messages/x.ts"], ALWAYS)
  })

  it("a home is known by more than one name: others', and one in no usual place", () => {
    expectAll(["/home/bob/.claude.json", "/Users/bob/.fly/config.yml", "/root/.pgpass"], NEVER)
    expectAll(["/srv/people/eve/.kube/config"], NEVER, { homes: ["/srv/people/eve"], guarded: [] })
    expectAll(["/srv/people/eve/.kube/config"], ALWAYS)
  })
})

describe("what nobody changes", () => {
  it("files of a project that an editor, another agent, a hook, a push or an installation runs", () => {
    expectAll(
      [
        ".vscode/tasks.json",
        ".vscode/settings.json",
        ".vscode/launch.json",
        "app.code-workspace",
        ".devcontainer/devcontainer.json",
        ".idea/workspace.xml",
        ".zed/tasks.json",
        ".mcp.json",
        ".claude/settings.json",
        ".claude/commands/x.md",
        ".cursor/mcp.json",
        ".codex/config.toml",
        ".agents/skills/x/SKILL.md",
        ".gemini/settings.json",
        "opencode.json",
        ".envrc",
        "mise.toml",
        "mise.local.toml",
        ".husky/pre-commit",
        ".githooks/pre-push",
        ".pre-commit-config.yaml",
        "lefthook.yml",
        ".lintstagedrc.json",
        ".git/hooks/pre-commit",
        ".gitmodules",
        ".github/workflows/ci.yml",
        ".github/actions/x/action.yml",
        ".gitlab-ci.yml",
        ".circleci/config.yml",
        "azure-pipelines.yml",
        "Jenkinsfile",
        "Jenkinsfile.release",
        "Jenkinsfile.groovy",
        ".gitpod.yml",
        ".idx/dev.nix",
        ".codesandbox/tasks.json",
        ".theia/tasks.json",
        ".trae/mcp.json",
        ".codebuddy/settings.json",
        ".huskyrc.json",
        ".zuul.yaml",
        ".zuul.d/x.yaml",
        ".taskcluster.yml",
        ".lazy.lua",
        ".pnpmfile.js",
        "mirror.git/hooks/post-receive",
        "simple-git-hooks.cjs",
        "lefthook.json",
        "lefthook-local.json",
        ".npmrc",
        ".yarnrc.yml",
        ".pnpmfile.cjs",
        "pip.conf",
        ".cargo/config.toml",
        ".mvn/extensions.xml",
        "gradle/wrapper/gradle-wrapper.properties"
      ].flatMap((name) => [`/work/app/${name}`, `/home/ada/code/app/${name}`, `/work/app/vendor/x/${name}`]),
      TO_READ
    )
  })

  it("what the next session of the owner of a home runs", () => {
    expectAll(
      [
        ".zshrc.local",
        ".p10k.zsh",
        ".fzf.bash",
        ".config/openbox/autostart",
        ".config/containers/systemd/x.container",
        ".local/share/bash-completion/completions/git",
        ".local/share/gnome-shell/extensions/x/extension.js"
      ].map((name) => `/home/ada/${name}`),
      TO_READ
    )
  })

  it("directories of the system, what starts the machine, and homes of others", () => {
    expectAll(
      [
        "/etc/motd",
        "/usr/local/bin/x",
        "/usr/lib/x.so",
        "/bin/sh",
        "/sbin/x",
        "/lib/x",
        "/lib64/x",
        "/opt/x",
        "/boot/vmlinuz",
        "/boot/grub/grub.cfg",
        "/etc/cron.d/x",
        "/etc/passwd",
        "/var/lib/dpkg/info/x.postinst",
        "/System/Library/x",
        "/home/bob",
        "/home/bob/notes.md",
        "/Users/bob/notes.md",
        "/root/notes.md"
      ],
      TO_READ
    )
    expectAll(["/home/ada/notes.md", "/Users/Shared/notes.md", "/var/www/x", "/srv/x", "/tmp/x"], ALWAYS)
    // Where nobody said whose homes are whose, none is somebody else's.
    expectAll(["/home/bob/notes.md"], ALWAYS, Floor.standard)
  })

  it("sources and recipes stay open", () => {
    expectAll(
      [
        "Makefile",
        "CMakeLists.txt",
        "justfile",
        "Dockerfile",
        "docker-compose.yml",
        "build.gradle",
        "src/index.ts",
        "src/tasks.json",
        "settings.json",
        "scripts/build.sh",
        "package.json",
        "package-lock.json",
        "pnpm-lock.yaml",
        "tsconfig.json",
        "node_modules/x/index.js",
        ".gitignore",
        ".gitattributes",
        ".editorconfig",
        ".eslintrc.json",
        ".prettierrc",
        ".github/ISSUE_TEMPLATE.md",
        ".github/dependabot.yml",
        ".vscode/snippets.code-snippets",
        "CLAUDE.md",
        "AGENTS.md",
        "mcp.json",
        "misery.toml",
        "Jenkinsfile.md",
        "jenkinsfile.ts",
        "jenkinsfile-parser/index.ts",
        "src/jenkinsfileParser.ts",
        "src/main/java/org/gradle/wrapper/Download.java",
        "docs/simple-git-hooks.md",
        "lefthook-schema.json",
        "history.ts"
      ].flatMap((name) => [`/work/app/${name}`, `/home/ada/code/app/${name}`]),
      ALWAYS
    )
  })
})

describe("code that a command loads", () => {
  const workspace = "/work/app"
  const floor = Floor.around(`${workspace}/records/agents/a.md`, {
    home: "/home/ada",
    workspace,
    code: [`${workspace}/tools/index.ts`, `${workspace}/lib`]
  })

  it("is changed by nobody: modules, what they import, packages, and what decides on these", () => {
    expectAll(
      [
        "tools/index.ts",
        "lib/helper.ts",
        "package.json",
        "package-lock.json",
        "yarn.lock",
        "pnpm-lock.yaml",
        "bun.lock",
        "bailiwick.lock.json",
        "node_modules/effect/index.js",
        "bailiwick.yaml",
        "Package.JSON"
      ].map((name) => `${workspace}/${name}`),
      TO_READ,
      floor
    )
  })

  it("of another project it is that project's own, but for Bailiwick itself and its locks", () => {
    expectAll(
      [
        "/work/app/packages/x/package.json",
        "/work/other/package.json",
        "/work/other/yarn.lock",
        "/work/app/tools/x.ts"
      ],
      ALWAYS,
      floor
    )
    expectAll(
      ["/work/other/bailiwick.lock.json", "/work/other/node_modules/bailiwick/dist/cli/program.cache"],
      TO_READ,
      floor
    )
  })
})

describe("the list", () => {
  it("has a reason for each place, in a group that says what is refused", () => {
    for (const { entries, title } of groups) {
      expect(title).toMatch(/^[A-Z].{5,}/)
      for (const [path, reason] of entries) {
        expect([path, path.toLowerCase()]).toEqual([path, path])
        expect(path).toMatch(/^[^/].*[^/]$/)
        expect([path, reason.length > 3]).toEqual([path, true])
      }
    }
  })

  it("names no place twice, and lifts only what may be read", () => {
    const places = groups.flatMap(({ entries, where }) => entries.map(([path]) => `${where} ${path}`))
    expect(places.length).toBe(new Set(places).size)
    expect(groups.filter(({ closed, lifts }) => lifts && closed === "always")).toEqual([])
  })
})
