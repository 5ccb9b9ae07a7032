/**
 * The threat: a profile that lets a child do more than its plan says, or that a name in it ends. What a profile means is
 * evaluated here; nobody has enforced one.
 */
import { Either, FastCheck as fc } from "effect"
import { describe, expect, it } from "vitest"
import * as Seatbelt from "../../../../src/layers/node/sandbox/seatbelt/Seatbelt.js"
import { type Plan, viewOf } from "../../../../src/policy/confinement/Plan.js"
import { codePoint } from "../../../codePoints.js"
import { times } from "../../../deep.js"
import { type Order, type Profile, read } from "./evaluator.js"

const empty: Plan = {
  mounts: [],
  covers: [],
  links: [],
  cwd: "/w",
  binary: "/usr/bin/git",
  reaches: false,
  doors: [],
  leftOut: []
}

const project: Plan = {
  ...empty,
  mounts: [
    { path: "/Users/u/docs", kind: "tree", access: "read" },
    { path: "/Users/u/work", kind: "tree", access: "write" },
    { path: "/Users/u/work/vendor", kind: "tree", access: "read" },
    { path: "/Users/u/notes.txt", kind: "file", access: "write" }
  ],
  covers: [
    { path: "/Users/u/docs/.ssh", kind: "directory", as: "hidden", reason: "keys" },
    { path: "/Users/u/work/.env", kind: "file", as: "hidden", reason: "secrets" },
    { path: "/Users/u/work/.git/hooks", kind: "directory", as: "frozen", reason: "it runs" }
  ],
  links: [["/Users/u/w", "/Users/u/work"]],
  binary: "/Users/u/bin/build",
  reaches: true
}

const TMP = "/private/tmp/bailiwick-1"

const made = (plan: Plan, options: Seatbelt.Options = { tmp: TMP }): string =>
  Either.getOrThrowWith(Seatbelt.profile(plan, options), ({ detail }) => new Error(detail))

const orders: ReadonlyArray<Order> = ["last", "narrowest"]

/** One answer, however rules are ordered. */
const permits = (profile: Profile, operation: string, about: string): boolean => {
  const [last, narrowest] = orders.map((order) => profile.permits(operation, about, order))
  expect([operation, about, last]).toEqual([operation, about, narrowest])
  return last === true
}

describe("a profile", () => {
  it("has this text: denied by default, the system and literals read, each root by its path, no network [S11]", async () => {
    await expect(made({ ...project, reaches: false })).toMatchFileSnapshot("project.sb")
    await expect(made(project, { tmp: TMP, proxyPort: 49_152 })).toMatchFileSnapshot("reaching.sb")
  })

  it("opens the port of the proxy on the loopback address, and no other host, socket or address [S14]", () => {
    const text = made(project, { tmp: TMP, proxyPort: 49_152 })
    const profile = read(text)
    expect(text.match(/network/g)).toHaveLength(1)
    expect(permits(profile, "network-outbound", "localhost:49152")).toBe(true)
    for (const about of ["localhost:49153", "localhost:*", "*:49152", "example.com:443", "/var/run/x.sock"]) {
      expect(permits(profile, "network-outbound", about)).toBe(false)
    }
    expect(permits(profile, "network-bind", "localhost:49152")).toBe(false)
    expect(made(project)).not.toContain("network")
    expect(made({ ...project, reaches: false }, { tmp: TMP, proxyPort: 49_152 })).not.toContain("network")
  })

  it("without a root is refused, and so is one of a relative path [S1]", () => {
    const refused = (plan: Plan, options?: Seatbelt.Options) =>
      Either.match(Seatbelt.profile(plan, options), {
        onLeft: ({ detail }) => detail,
        onRight: () => "a profile"
      })
    expect(refused(empty)).toContain("needs a directory")
    const rooted = (path: string): Plan => ({ ...empty, mounts: [{ path, kind: "tree", access: "write" }] })
    expect(refused(rooted("w"))).toContain("is not absolute")
    expect(refused(rooted("/w"))).toBe("a profile")
    expect(refused(empty, { tmp: TMP })).toBe("a profile")
    for (const port of [0, -1, 1.5, 65_536, Number.NaN]) {
      expect(refused(rooted("/w"), { proxyPort: port })).toContain("is no port")
    }
  })

  it.each([
    "/w/a\nb",
    "/w/a\u0000",
    "/w/../etc",
    "/w/./a",
    "/w//a",
    "/w/",
    "/w/\ud800",
    "/w/\u2028",
    "/w/\u0085"
  ])("is refused where it cannot name a path: %j", (path) => {
    for (const plan of [
      { ...empty, mounts: [{ path, kind: "tree", access: "read" }] },
      { ...project, covers: [{ path, kind: "file", as: "hidden", reason: "" }] },
      { ...project, links: [[path, "/Users/u/work"]] },
      { ...project, binary: path }
    ] as const satisfies ReadonlyArray<Plan>) {
      expect(Either.isLeft(Seatbelt.profile(plan, { tmp: TMP }))).toBe(true)
    }
  })

  it("is one text whatever stands in a name: no name ends it or opens a rule", () => {
    const name = fc
      .array(fc.oneof(codePoint, fc.constantFrom('"', "\\", "(", ")", ";", "#", "*")), {
        minLength: 1,
        maxLength: 8
      })
      .map((all) => all.join(""))
    fc.assert(
      fc.property(name, (one) => {
        const path = `/w/${one}`
        const plan: Plan = { ...empty, mounts: [{ path, kind: "tree", access: "write" }] }
        const text = Seatbelt.profile(plan)
        if (Either.isLeft(text)) return
        const profile = read(text.right)
        expect(permits(profile, "file-write-data", `${path}/x`)).toBe(true)
        for (const other of ["/w/x", "/x", `${path}x`]) {
          expect(permits(profile, "file-write-data", other)).toBe(other.startsWith(`${path}/`))
        }
      }),
      { numRuns: times(300) }
    )
  })

  it("starts a command behind two dashes, and is not too long for that", () => {
    expect(Seatbelt.commandLine("(version 1)", ["/bin/ls", "-l"])).toEqual(
      Either.right(["/usr/bin/sandbox-exec", "-p", "(version 1)", "--", "/bin/ls", "-l"])
    )
    expect(Either.isLeft(Seatbelt.commandLine("x".repeat(600_000), ["/bin/ls"]))).toBe(true)
  })
})

describe("what a profile permits", () => {
  const profile = read(made(project))

  it.each([
    ["file-read-data", "/Users/u/docs/a", true],
    ["file-read-data", "/Users/u/docs/.ssh", false],
    ["file-read-data", "/Users/u/docs/.ssh/id", false],
    ["file-read-metadata", "/Users/u/docs/.ssh/id", false],
    ["file-write-data", "/Users/u/docs/a", false],
    ["file-read-data", "/Users/u/docs-evil/x", false],
    ["file-write-create", "/Users/u/work/a/b", true],
    ["file-write-data", "/Users/u/work/vendor/x", false],
    ["file-read-data", "/Users/u/work/vendor/x", true],
    ["file-read-data", "/Users/u/work/.env", false],
    ["file-write-unlink", "/Users/u/work/.env", false],
    ["file-read-data", "/Users/u/work/.git/hooks/pre-commit", true],
    ["file-write-create", "/Users/u/work/.git/hooks/pre-commit", false],
    ["file-write-create", "/Users/u/work/.git/index", true],
    ["file-write-data", "/Users/u/notes.txt", true],
    ["file-read-data", "/Users/u/notes.txt/x", false],
    ["process-exec", "/Users/u/bin/build", true],
    ["file-read-data", "/Users/u/bin/other", false],
    ["process-exec", "/Users/u/docs/.ssh/x", false],
    ["file-read-metadata", "/Users/u", true],
    ["file-read-data", "/Users/u", false],
    ["file-read-metadata", "/Users/u/w", true],
    ["file-read-data", "/private/etc/hosts", false],
    ["file-read-data", "/private/etc/master.passwd", false],
    ["file-read-data", "/usr/lib/libSystem.dylib", true],
    ["file-write-data", "/usr/lib/libSystem.dylib", false],
    ["file-write-data", "/dev/null", true],
    ["file-write-data", "/dev/disk0", false],
    ["file-write-create", `${TMP}/x`, true],
    ["file-write-create", "/private/tmp/x", false],
    ["mach-lookup", "com.apple.trustd.agent", false],
    ["mach-lookup", "com.apple.system.opendirectoryd.libinfo", true],
    ["signal", "others", false]
  ])("%s of %s: %s", (operation, path, expected) => {
    expect(permits(profile, operation, path)).toBe(expected)
  })

  it("is not escaped by moving what holds something closed, nor is a root moved away", () => {
    for (const path of ["/Users/u/work", "/Users/u/work/.git", TMP]) {
      expect(permits(profile, "file-write-unlink", path)).toBe(false)
      expect(permits(profile, "file-write-create", path)).toBe(true)
    }
    expect(permits(profile, "file-write-unlink", "/Users/u/work/src")).toBe(true)
  })
})

/** Plans as they may be: nothing is mounted in what is hidden, and covers lie in mounts. */
const names = fc.constantFrom("a", "b", "c", "a b", 'q"', "\\")

const path = fc.array(names, { minLength: 1, maxLength: 4 }).map((all) => `/w/${all.join("/")}`)

const isBelow = (one: string, root: string) => one === root || one.startsWith(`${root}/`)

const plans: fc.Arbitrary<Plan> = fc
  .record({
    mounts: fc.uniqueArray(
      fc.record({
        path,
        kind: fc.constantFrom("tree" as const, "tree" as const, "file" as const),
        access: fc.constantFrom("read" as const, "write" as const)
      }),
      { selector: (one) => one.path, maxLength: 5 }
    ),
    covers: fc.uniqueArray(
      fc.record({
        path,
        kind: fc.constantFrom("directory" as const, "file" as const),
        as: fc.constantFrom("hidden" as const, "frozen" as const),
        reason: fc.constant("")
      }),
      { selector: (one) => one.path, maxLength: 5 }
    )
  })
  .map(({ covers, mounts }) => {
    const apart = mounts.filter(({ path: at }) =>
      mounts.every((other) => other.path === at || other.kind === "tree" || !isBelow(at, other.path))
    )
    const inside = covers.filter((cover) =>
      apart.some((mount) => mount.kind === "tree" && isBelow(cover.path, mount.path))
    )
    const visible = apart.filter(
      (mount) => !inside.some((cover) => cover.as === "hidden" && isBelow(mount.path, cover.path))
    )
    const left = inside.filter(
      (cover) =>
        visible.some((mount) => mount.kind === "tree" && isBelow(cover.path, mount.path)) &&
        !inside.some((other) => other !== cover && other.as === "hidden" && isBelow(cover.path, other.path))
    )
    return { ...empty, mounts: visible, covers: left }
  })

describe("a profile of any plan", () => {
  it("permits to read and to write what the plan does, and nothing else", () => {
    fc.assert(
      fc.property(plans, fc.array(path, { minLength: 1, maxLength: 12 }), (plan, paths) => {
        const profile = read(made(plan))
        const accessAt = viewOf(plan)
        for (const one of [...paths, ...plan.mounts.map((m) => m.path), ...plan.covers.map((c) => c.path)]) {
          const access = accessAt(one)
          expect([one, permits(profile, "file-read-data", one)]).toEqual([
            one,
            access === "read" || access === "write"
          ])
          for (const operation of ["file-write-data", "file-write-create", "file-write-mode"]) {
            expect([one, operation, permits(profile, operation, one)]).toEqual([
              one,
              operation,
              access === "write"
            ])
          }
          if (access !== "write") expect(permits(profile, "file-write-unlink", one)).toBe(false)
        }
      }),
      { numRuns: times(300) }
    )
  })

  it("lets no directory be moved that holds what the child may not change", () => {
    fc.assert(
      fc.property(plans, (plan) => {
        const profile = read(made(plan))
        const closed = [...plan.covers, ...plan.mounts.filter(({ access }) => access === "read")]
        for (const { path: one } of closed) {
          for (let at = one; at !== ""; at = at.slice(0, at.lastIndexOf("/"))) {
            expect([at, permits(profile, "file-write-unlink", at)]).toEqual([at, false])
          }
        }
      }),
      { numRuns: times(300) }
    )
  })
})
