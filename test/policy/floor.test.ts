/**
 * Threats: a policy that reaches the root, or a home, hands out credentials with it (F23–F36, I15); a tool that may
 * write leaves something behind that runs later (F37).
 */

import { describe, expect, it } from "@effect/vitest"
import { Either, FastCheck as fc } from "effect"
import { ask, holder } from "../../src/policy/gate/Asking.js"
import * as Floor from "../../src/policy/gate/floor/Floor.js"
import * as Authority from "../../src/policy/lattice/Authority.js"
import * as Request from "../../src/policy/lattice/Request.js"
import { times } from "../deep.js"

type Action = "read" | "write" | "delete"

const floor: Floor.Floor = { homes: ["/srv/people/ada"], guarded: ["/work/policy", "/var/lib/agent"] }

/** Whoever holds everything is refused only by the floor. */
const opens = (action: Action, path: string, given: Floor.Floor = floor): boolean =>
  Either.isRight(ask(holder({ authority: Authority.everything, floor: given }), Request.file(action, path)))

const actions: ReadonlyArray<Action> = ["read", "write", "delete"]

const homes = ["/root", "/home/bob", "/Users/bob", "/srv/people/ada"]

/** What macOS keeps in `Library` is looked for where macOS has its homes, and where nobody knows. */
const homesWith = (path: string) => (path.startsWith("Library/") ? homes.slice(2) : homes)

const inHomes = {
  "F27: clouds": [
    ".config/gcloud/application_default_credentials.json",
    ".azure/msal_token_cache.json",
    ".oci/config"
  ],
  "F28: clusters and containers": [".kube/config", ".kube", ".docker/config.json"],
  "F30: registries": [
    ".npmrc",
    ".pypirc",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".yarnrc.yml",
    ".gem/credentials"
  ],
  "F31: stores of passwords": [
    ".password-store/x.gpg",
    ".local/share/keyrings/login.keyring",
    ".vault-token"
  ],
  "F32: browsers": [
    ".mozilla/firefox/p/logins.json",
    ".config/google-chrome/Default/Login Data",
    ".config/chromium/Default/Cookies",
    "Library/Application Support/Google/Chrome/Default/Login Data",
    "Library/Application Support/Firefox/Profiles/p/key4.db",
    "Library/Keychains/login.keychain-db"
  ],
  "F36: keys": [
    ".ssh",
    ".ssh/id_rsa",
    ".ssh/config",
    ".aws/credentials",
    ".aws/config",
    ".netrc",
    ".gnupg/x",
    ".git-credentials",
    ".config/gh/hosts.yml"
  ]
}

const ofTheSystem = {
  "F23/I15: processes": [
    "/proc",
    "/proc/1/environ",
    "/proc/self/environ",
    "/proc/thread-self/environ",
    "/proc/self/task/12/environ",
    "/proc/self/fd/3",
    "/proc/self/root/etc/passwd",
    "/proc/cpuinfo/x",
    "/proc/kcore",
    "/sys/kernel/x",
    "/dev/mem",
    "/dev/fd/3"
  ],
  "F34: passwords and keys of the machine": [
    "/etc/shadow",
    "/etc/shadow-",
    "/etc/gshadow",
    "/etc/gshadow-",
    "/etc/sudoers",
    "/etc/sudoers.d/x",
    "/etc/ssh/ssh_host_rsa_key",
    "/etc/ssh/ssh_host_ed25519_key",
    "/private/etc/master.passwd"
  ],
  "F35: clusters": [
    "/var/run/secrets/kubernetes.io/serviceaccount/token",
    "/run/secrets/kubernetes.io/serviceaccount/token",
    "/etc/kubernetes/admin.conf"
  ],
  "F36: keys at any depth": [
    "/backup/2020/bob/.ssh/known",
    "/data/id_ed25519",
    "/x/.gnupg",
    "/x/y/.aws/credentials"
  ]
}

const toWrite = {
  "F37: shells": [
    ".bashrc",
    ".profile",
    ".zshrc",
    ".bash_profile",
    ".zprofile",
    ".zshenv",
    ".config/fish/config.fish"
  ],
  "F37: sessions": [
    ".config/autostart/x.desktop",
    ".config/systemd/user/x.service",
    "Library/LaunchAgents/x.plist",
    ".gitconfig"
  ]
}

const toWriteOfTheSystem = [
  "/etc/cron.d/x",
  "/etc/crontab",
  "/var/spool/cron/crontabs/root",
  "/etc/profile",
  "/etc/profile.d/x.sh",
  "/etc/ld.so.preload",
  "/etc/ld.so.conf.d/x.conf",
  "/etc/systemd/system/x.service",
  "/etc/passwd",
  "/work/app/.git/hooks/pre-commit",
  "/work/app/.git/config",
  "/work/app/.git",
  "/work/app/vendor/x/.git/hooks/post-checkout",
  "/work/app/.git/modules/x/hooks/post-checkout",
  "/work/app/.git/commondir",
  "/work/app/.git/HEAD",
  "/work/app/.git/objects/ab/cd",
  "/work/app/.GIT/info/alternates",
  "/work/app/vendor/x/.git/worktrees/y/gitdir"
]

/** What a later run takes its authority from, in a workspace that this run knows nothing of. */
const ofLaterRuns = [
  "/bailiwick.yaml",
  "/work/app/bailiwick.yaml",
  "/work/app/deep/below/Bailiwick.yaml",
  "/work/app/personalities/config.yaml",
  "/work/app/personalities/scout/config.yaml",
  "/work/app/personalities/scout/toolset.yaml",
  "/work/app/personalities/team/a/scout/config.yaml",
  "/personalities/scout/toolset.yaml",
  "/work/app/personalities/scout.yaml",
  "/work/app/Personalities/Scout.YAML",
  "/work/app/records/agents/scout.md",
  "/work/app/records/agents/team/scout.md"
]

describe("the floor of files", () => {
  for (const [name, paths] of Object.entries(inHomes)) {
    it(`${name}: no policy opens them, in any home`, () => {
      for (const path of paths) {
        for (const home of homesWith(path)) {
          for (const action of actions)
            expect([action, home, path, opens(action, `${home}/${path}`)]).toEqual([
              action,
              home,
              path,
              false
            ])
        }
      }
    })
  }

  for (const [name, paths] of Object.entries(ofTheSystem)) {
    it(`${name}: no policy opens them`, () => {
      for (const path of paths) {
        for (const action of actions)
          expect([action, path, opens(action, path)]).toEqual([action, path, false])
      }
    })
  }

  for (const [name, paths] of Object.entries(toWrite)) {
    it(`${name}: what runs later may be read, not changed`, () => {
      for (const home of homes) {
        for (const path of paths) {
          expect([path, ...actions.map((action) => opens(action, `${home}/${path}`))]).toEqual([
            path,
            true,
            false,
            false
          ])
        }
      }
    })
  }

  it("F37: what the machine runs may be read, not changed", () => {
    for (const path of toWriteOfTheSystem) {
      expect([path, ...actions.map((action) => opens(action, path))]).toEqual([path, true, false, false])
    }
  })

  it("what a later run takes its authority from may be read, not changed, at any depth", () => {
    for (const path of ofLaterRuns) {
      expect([path, ...actions.map((action) => opens(action, path))]).toEqual([path, true, false, false])
    }
    for (const path of [
      "/work/app/personalities/scout/notes.md",
      "/work/app/personalities",
      "/work/app/personalities/scout/data.yaml",
      "/work/app/personalities/scout.yml.txt",
      "/work/app/records/notes/a.md",
      "/work/app/config.yaml",
      "/work/app/toolset.yaml",
      "/work/app/bailiwick.yaml.md"
    ]) {
      expect([path, opens("write", path)]).toEqual([path, true])
    }
  })

  it("the state of any workspace, and of programs without one, is closed to all", () => {
    for (const path of [
      "/work/app/.bailiwick",
      "/work/app/.bailiwick/storage/store.db",
      "/.Bailiwick/x",
      "/home/ada/.local/state/bailiwick/isolated/tool.cjs"
    ]) {
      expect([path, ...actions.map((action) => opens(action, path))]).toEqual([path, false, false, false])
    }
    expect(opens("read", "/work/app/.bailiwickrc")).toBe(true)
  })

  it("where authority is read from, no tool writes", () => {
    for (const path of [
      "/work/policy",
      "/work/policy/a/config.yaml",
      "/var/lib/agent/x",
      "/VAR/lib/Agent/x"
    ]) {
      expect(actions.map((action) => opens(action, path))).toEqual([true, false, false])
    }
    expect(opens("write", "/work/policy2")).toBe(true)
    expect(opens("write", "/work/policy/x", Floor.standard)).toBe(true)
  })

  it("I10: everything else is open to who holds it", () => {
    for (const path of [
      "/",
      "/etc/hostname",
      "/etc",
      "/home/bob/project/.npmrc",
      "/home/bob/project/.docker/config.json",
      "/home/bob/.config/app/settings.json",
      "/home/bob/sshd/id_rsa.pub",
      "/work/ssh/.sshrc",
      "/work/aws/credentials",
      "/process/x",
      "/work/proc/self/environ",
      "/device"
    ]) {
      expect([path, opens("read", path)]).toEqual([path, true])
    }
    for (const path of [
      "/work/app/.gitignore",
      "/work/app/.github/CODEOWNERS",
      "/work/.bashrc",
      "/work/etc/crontab"
    ]) {
      expect([path, opens("write", path)]).toEqual([path, true])
    }
    for (const name of ["cpuinfo", "meminfo", "version", "uptime", "loadavg"]) {
      expect(actions.map((action) => opens(action, `/proc/${name}`))).toEqual([true, false, false])
    }
  })

  it("another spelling of a name is the same name", () => {
    for (const path of [
      "/home/bob/.SSH/ID_RSA",
      "/HOME/bob/.Aws/credentials",
      "/users/bob/library/keychains/x",
      "/Etc/Shadow",
      "/srv/People/ADA/.netrc",
      "/x/.\u017fsh/key",
      "/x/.s\u200cs\u200bh/key",
      "/PROC/self/environ",
      "//home//bob/./.ssh//id_rsa"
    ]) {
      expect([path, opens("read", path)]).toEqual([path, false])
    }
  })

  it("a home or a tree that cannot be read closes everything", () => {
    for (const broken of ["relative", "~", "/a/../b", ""]) {
      expect(opens("read", "/work/a", { homes: [broken], guarded: [] })).toBe(false)
      expect(opens("read", "/work/a", { homes: [], guarded: [broken] })).toBe(false)
    }
  })

  it("a home is a name and no pattern", () => {
    const odd: Floor.Floor = { homes: ["/data/*"], guarded: ["/x/a**b"] }
    expect(opens("read", "/data/*/.netrc", odd)).toBe(false)
    expect(opens("read", "/data/*/.npmrc", odd)).toBe(false)
    expect(opens("read", "/data/bob/.npmrc", odd)).toBe(true)
    expect(opens("write", "/x/a**b/c", odd)).toBe(false)
  })

  it("says so without a way around", () => {
    const refusal = ask(
      holder({ authority: Authority.everything, tool: "t" }),
      Request.file("read", "/etc/shadow")
    )
    expect(Either.isLeft(refusal) && refusal.left).toMatchObject({
      _tag: "Denied",
      denial: {
        code: "PATH_NOT_REACHABLE",
        detail: "read not permitted for /etc/shadow: it is always refused (passwords of accounts)",
        remedy: "no policy lifts this; use another path or host",
        tool: "t",
        held: []
      }
    })
  })

  it("what is closed to read is closed to change, and all that is below it too", () => {
    const known = [
      ...Object.values(inHomes)
        .flat()
        .map((path) => `/Users/x/${path}`),
      ...Object.values(ofTheSystem).flat()
    ]
    const name = fc.stringMatching(/^[a-z0-9._-]{1,8}$/).filter((text) => text !== "." && text !== "..")
    fc.assert(
      fc.property(fc.constantFrom(...known), fc.array(name, { maxLength: 3 }), (path, below) => {
        for (const action of actions) expect(opens(action, [path, ...below].join("/"))).toBe(false)
      }),
      { numRuns: times(400) }
    )
  })

  it("a link on the way to what is guarded is changed by nobody, and what is reached over it stays open", () => {
    const ways = new Map([
      [
        "/ws/bailiwick.yaml",
        { path: "/ws/deep/bw.yaml", links: ["/ws/bailiwick.yaml", "/ws/conf/Mid.yaml"] }
      ],
      ["/ws/cfg/notes", { path: "/ws/real/notes", links: ["/ws/cfg"] }]
    ])
    const around = Floor.around("/ws/bailiwick.yaml", {
      workspace: "/ws",
      guarded: ["/ws/cfg/notes"],
      follow: (path) => ways.get(path) ?? { path, links: [] }
    })
    for (const given of [around, Floor.meet(Floor.standard, around)]) {
      for (const path of ["/ws/conf/mid.yaml", "/ws/deep/bw.yaml", "/ws/cfg", "/ws/real/notes/a.md"]) {
        expect([path, ...actions.map((action) => opens(action, path, given))]).toEqual([
          path,
          true,
          false,
          false
        ])
      }
      for (const path of ["/ws/conf/other.yaml", "/ws/cfg/other", "/ws/real/other"]) {
        expect([path, opens("write", path, given)]).toEqual([path, true])
      }
    }
  })
})
