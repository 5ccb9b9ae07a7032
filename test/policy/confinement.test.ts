/**
 * Threats: a child reads or writes what its tool may not (P17), because a pattern was rounded up, a link was followed, or
 * the floor was left at the door.
 */
import { describe, expect, it } from "@effect/vitest"
import { Either, Schema } from "effect"
import { type Given, plan } from "../../src/policy/confinement/Confinement.js"
import * as Floor from "../../src/policy/gate/floor/Floor.js"
import * as Authority from "../../src/policy/lattice/Authority.js"
import * as Request from "../../src/policy/lattice/Request.js"
import { FIFO, FILE, lookAt, type Tree } from "./trees.js"

const authority = Schema.decodeSync(Authority.FromJson)

const request = (line: string): Request.Scoped => {
  const made = Either.getOrThrow(Request.parse(line))
  if (made._tag !== "Scoped") throw new TypeError(line)
  return made
}

const planned = (
  encoded: Authority.Encoded,
  tree: Tree,
  { asked = "exec git log in /work", ...rest }: Partial<Given> & { readonly asked?: string } = {}
) => {
  const { leftOut, ...made } = plan(
    {
      authority: authority(encoded),
      floor: Floor.standard,
      request: request(asked),
      cwd: "/work",
      binary: "/usr/bin/git",
      kept: [],
      ...rest
    },
    lookAt(tree)
  )
  return {
    ...made,
    mounts: made.mounts.map(({ access, kind, path }) => `${access} ${kind} ${path}`),
    covers: made.covers.map(({ as, path }) => `${as} ${path}`),
    leftOut: leftOut.map(({ what, why }) => `${what}: ${why}`)
  }
}

const project: Tree = {
  src: { "a.ts": FILE, "b.md": FILE },
  docs: { "c.md": FILE, deep: { "d.md": FILE, "e.txt": FILE } },
  "notes.md": FILE
}

describe("What a child may read and write", () => {
  it("is mounted as trees and as files, with writing inside of reading", () => {
    const { leftOut, mounts } = planned(
      { files: { read: ["/work/", "/data/x.csv"], write: ["/work/src/", "/work/notes.md"] } },
      { work: project, data: { "x.csv": FILE, "y.csv": FILE } }
    )
    expect(mounts).toEqual([
      "read tree /work",
      "read file /data/x.csv",
      "write file /work/notes.md",
      "write tree /work/src"
    ])
    expect(leftOut).toEqual([])
  })

  it("is what a pattern gives that is there, and never more", () => {
    const { mounts } = planned({ files: { read: ["/work/docs/**/*.md"] } }, { work: project })
    expect(mounts).toEqual(["read file /work/docs/c.md", "read file /work/docs/deep/d.md"])
  })

  it("is a directory where a pattern means all that is in it, with what is made there later", () => {
    const files = { read: ["/work/**"], write: ["/work/src/**", "/work/docs/*"] }
    const { mounts } = planned({ files }, { work: project })
    expect(mounts).toEqual(["read tree /work", "write tree /work/src", "write file /work/docs/c.md"])
  })

  it("is not written where it may not be read, and the plan says so", () => {
    const { leftOut, mounts } = planned(
      { files: { read: ["/work/docs/"], write: ["/work/"] } },
      { work: project }
    )
    expect(mounts).toEqual(["write tree /work/docs"])
    expect(leftOut).toEqual([
      "write /work/: what may be written and not read cannot be given to a child; grant reading too"
    ])
  })

  it("is read in the directory of the grant that the command runs by, and in no other [I27] [I28]", () => {
    const exec = [
      { argv: "git:*", in: "/work/docs" },
      { argv: "rg:*", in: "/work" },
      { argv: "git:*", in: "/other" }
    ]
    const tree = { work: project, other: {} }
    const asked = "exec git log in /work/docs/deep"
    const given = planned({ process: { exec } }, tree, { asked, cwd: "/work/docs/deep" })
    expect(given.mounts).toEqual(["read tree /work/docs"])
    const written = planned({ process: { exec }, files: { write: ["/work/docs/deep/"] } }, tree, {
      asked,
      cwd: "/work/docs/deep"
    })
    expect(written.mounts).toEqual(["read tree /work/docs", "write tree /work/docs/deep"])
  })

  it("is nothing for a command that runs anywhere, and the plan says so", () => {
    const { leftOut, mounts } = planned(
      { process: { exec: [{ argv: "git:*", in: "/" }] } },
      { work: project }
    )
    expect(mounts).toEqual([])
    expect(leftOut).toEqual([
      "exec in any directory: it names no directory that a child could be given; name one, or files to read"
    ])
  })

  it("is all but the system's for who reads the root", () => {
    const { leftOut, mounts } = planned(
      { files: { read: ["/"] } },
      { usr: {}, bin: "usr/bin", etc: {}, proc: {}, tmp: {}, home: { ada: {} }, srv: {}, work: project }
    )
    expect(mounts).toEqual(["read tree /home", "read tree /srv", "read tree /work"])
    expect(leftOut).toEqual([
      "read /: a child has its own /dev, /etc, /proc, /run, /sys and /tmp; name what it needs of them"
    ])
  })

  it("is left out and named where it is not there, or is a directory alone", () => {
    const { leftOut, mounts } = planned(
      { files: { read: ["/work/docs", "/gone/", "/proc/meminfo"] } },
      { work: project }
    )
    expect(mounts).toEqual([])
    expect(leftOut).toEqual([
      "read /gone/: it is not there",
      "read /proc/meminfo: a child has its own /dev, /proc and /sys",
      "read /work/docs: the directory itself is permitted, and nothing in it; end the path with '/' to mean all of it"
    ])
  })
})

describe("A link", () => {
  it("that leads to what is mounted is there too", () => {
    const tree = { work: "/srv/real", srv: { real: project } }
    const { links, mounts } = planned({ files: { read: ["/work/", "/srv/real/"] } }, tree)
    expect(mounts).toEqual(["read tree /srv/real"])
    expect(links).toEqual([["/work", "/srv/real"]])
  })

  it("that leads elsewhere gives nothing, and the plan says so", () => {
    const { leftOut, links, mounts } = planned(
      { files: { read: ["/work/"] } },
      { work: "/srv", srv: project }
    )
    expect([mounts, links]).toEqual([[], []])
    expect(leftOut).toEqual([
      "read /work/: it is a link, or lies behind one, and leads to what the child does not see; name the real path"
    ])
  })
})

describe("The floor", () => {
  const files = { read: ["/work/"], write: ["/work/"] }
  const repository = { hooks: {}, config: FILE, HEAD: FILE, objects: {}, refs: {} }

  it("hides credentials, pipes and sockets, and freezes what runs later", () => {
    const { covers } = planned(
      { files },
      {
        work: {
          id_rsa: FILE,
          ".ssh": { config: FILE },
          queue: FIFO,
          ".vscode": { "tasks.json": FILE },
          "bailiwick.yaml": FILE,
          ".netrc": "/elsewhere"
        }
      }
    )
    expect(covers).toEqual([
      "hidden /work/.ssh",
      "frozen /work/bailiwick.yaml",
      "hidden /work/id_rsa",
      "hidden /work/queue",
      "frozen /work/.vscode/tasks.json"
    ])
  })

  it("freezes in a repository what runs or leads to what runs", () => {
    const { covers } = planned(
      { files },
      {
        work: {
          ".git": {
            ...repository,
            "config.worktree": FILE,
            "bailiwick.yaml": FILE,
            modules: { lib: { hooks: repository } },
            worktrees: { one: { commondir: FILE, gitdir: FILE, HEAD: FILE } }
          },
          sub: { ".git": FILE },
          bare: repository
        }
      }
    )
    expect(covers).toEqual([
      "frozen /work/.git/bailiwick.yaml",
      "frozen /work/.git/config",
      "frozen /work/.git/config.worktree",
      "frozen /work/.git/hooks",
      "frozen /work/bare/config",
      "frozen /work/bare/hooks",
      "frozen /work/sub/.git",
      "frozen /work/.git/worktrees/one/commondir",
      "frozen /work/.git/worktrees/one/gitdir",
      "frozen /work/.git/modules/lib/hooks/config",
      "frozen /work/.git/modules/lib/hooks/hooks"
    ])
  })

  it("lets packages be, but for their credentials and what authority is read from", () => {
    const { covers } = planned(
      { files },
      {
        work: {
          node_modules: {
            a: { ".npmrc": FILE, ".vscode": { "tasks.json": FILE }, id_rsa: FILE },
            bailiwick: { "package.json": FILE }
          }
        }
      }
    )
    expect(covers).toEqual(["frozen /work/node_modules/bailiwick", "hidden /work/node_modules/a/id_rsa"])
  })

  it("hides in what is only read, and freezes nothing there", () => {
    const tree = { work: { ".git": repository, ".netrc": FILE, "bailiwick.yaml": FILE } }
    expect(planned({ files: { read: ["/work/"] } }, tree).covers).toEqual(["hidden /work/.netrc"])
  })

  it("is lifted by a policy that names a path, inside of what stays frozen", () => {
    const path = "/work/.github/workflows/ci.yml"
    const tree = { work: { ".github": { workflows: { "ci.yml": FILE, "cd.yml": FILE } } } }
    const floor = Floor.lifting(Floor.standard, { write: [path], delete: [] })
    const { covers, mounts } = planned({ files }, tree, { floor })
    expect(covers).toEqual(["frozen /work/.github/workflows"])
    expect(mounts).toEqual(["write tree /work", `write file ${path}`])
  })

  it("is not lifted by a tree that only reaches it: what may not be written is read", () => {
    const { leftOut, mounts } = planned(
      { files: { read: ["/opt/app/"], write: ["/opt/app/"] } },
      { opt: { app: { x: FILE } } }
    )
    expect(mounts).toEqual(["read tree /opt/app"])
    expect(leftOut).toEqual(["write /opt/app: programs of the system"])
  })

  it("goes with what layers keep for themselves", () => {
    const kept = [
      { path: "/work/store", as: "hidden" as const, reason: "state" },
      { path: "/work/records", as: "frozen" as const, reason: "records" },
      { path: "/work/later", as: "hidden" as const, reason: "state" }
    ]
    const { covers } = planned({ files }, { work: { store: {}, records: {} } }, { kept })
    expect(covers).toEqual(["frozen /work/records", "hidden /work/store"])
    const inside = planned(
      { files: { read: ["/work/store/sub/"] } },
      { work: { store: { sub: {} } } },
      { kept }
    )
    expect(inside.mounts).toEqual([])
    expect(inside.leftOut).toEqual(["read /work/store/sub: state"])
  })

  it("hides the directory of a name that is no text and cannot be hidden alone", () => {
    const { covers } = planned(
      { files },
      { work: { a: { "x\uFFFD.kdbx": FILE }, b: { "y\uFFFD.txt": FILE } } }
    )
    expect(covers).toEqual(["hidden /work/a"])
  })
})

describe("Hosts", () => {
  const hosts = { get: ["api.example.com", "*.github.com", "1.2.3.4", "metadata.google.internal"] }

  it("that are named in full have doors, for TLS only with all four verbs", () => {
    const all = ["full.example.com"]
    const { doors, reaches } = planned(
      {
        network: { get: [...hosts.get, ...all], post: all, put: all, delete: all },
        private: { connect: ["127.0.0.1:8080", "db.corp.example:5432", "10.0.0.1:80", "*.corp.example:1"] }
      },
      {}
    )
    expect(reaches).toBe(true)
    expect(doors.map(({ host, port }) => `${host}:${port}`)).toEqual([
      "127.0.0.1:8080",
      "api.example.com:80",
      "db.corp.example:5432",
      "full.example.com:443",
      "full.example.com:80"
    ])
  })

  it("are reached by none where none is held [S6] [P18]", () => {
    expect(planned({ files: { read: ["/work/"] } }, {}).reaches).toBe(false)
    expect(planned({ network: { get: ["*.github.com"] } }, {}).reaches).toBe(true)
  })

  it("that are very many have no door each, and the plan says so", () => {
    const get = Array.from({ length: 260 }, (_, i) => `h${i}.example.com`)
    const { doors, leftOut } = planned({ network: { get } }, {})
    expect(doors.length).toBe(256)
    expect(leftOut.filter((line) => line.startsWith("a door to")).length).toBe(4)
  })
})
