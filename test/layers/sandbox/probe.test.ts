/** Whether children can be held here, and in words why not. */
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Exit, Scope } from "effect"
import { afterAll, describe, expect, it } from "vitest"
import { has } from "../../../scripts/lib/system.js"
import * as NodeProcess from "../../../src/layers/node/process/NodeProcess.js"
import { diagnose, missing, type Read } from "../../../src/layers/node/sandbox/probe/diagnosis.js"
import { type Options, probe } from "../../../src/layers/node/sandbox/probe/Probe.js"
import { check, locate } from "../../../src/layers/node/sandbox/probe/trusted.js"

const canRun = has("bwrap") && has("prlimit")

const folder = realpathSync(mkdtempSync(join(tmpdir(), "bailiwick-probe-")))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const system =
  (files: Readonly<Record<string, string>>): Read =>
  (path) =>
    files[path]

const debian = { "/etc/os-release": 'PRETTY_NAME="Debian"\nID=debian\n' }

const probed = (options: Partial<Options> = {}) =>
  Effect.runPromise(probe({ path: process.env.PATH ?? "", ...options }))

describe("the probe", () => {
  it.skipIf(!canRun)("starts a sandbox, and says which programs it did that with", async () => {
    expect(await probed()).toMatchObject({
      held: true,
      programs: { bwrap: expect.stringMatching(/^\/.*bwrap$/) }
    })
    // Where nobody says a path, the usual places are looked at.
    expect(await probed({ path: undefined })).toMatchObject({ held: true })
  })

  it.skipIf(!canRun)("is asked once for a layer, by whoever is first", async () => {
    const program = Effect.gen(function* () {
      const { holding } = yield* NodeProcess.make()
      const all = yield* Effect.all([holding, holding, holding], { concurrency: "unbounded" })
      return all.map(({ held }) => held)
    })
    expect(await Effect.runPromise(Effect.scoped(program))).toEqual([true, true, true])
  })

  it.skipIf(!canRun)("says why a bwrap does not hold that the operator names", async () => {
    const path = join(folder, "named")
    copyFileSync("/usr/bin/bwrap", path)
    chmodSync(path, 0o777)
    expect(await probed({ bwrap: path, read: system(debian) })).toEqual({
      held: false,
      isExpected: true,
      kind: "not_trusted",
      why: "the only bwrap here lies where others than root may write",
      remedy: "install it with 'apt-get install bubblewrap'"
    })
    expect(await probed({ bwrap: join(folder, "absent"), read: system(debian) })).toMatchObject({
      why: "bwrap is not installed"
    })
  })

  it("leaves nothing behind when a layer closes before it has answered", async () => {
    const scope = Effect.runSync(Scope.make())
    const backend = await Effect.runPromise(Scope.extend(NodeProcess.make(), scope))
    const asked = Effect.runPromise(backend.holding)
    await Effect.runPromise(Scope.close(scope, Exit.void))
    expect(await asked).toHaveProperty("held")
  })
})

describe("a bwrap that others may write", () => {
  const put = (name: string): string => {
    const at = join(folder, name)
    mkdirSync(at, { recursive: true })
    writeFileSync(join(at, "bwrap"), "#!/bin/sh\nexit 0\n")
    chmodSync(join(at, "bwrap"), 0o755)
    return at
  }

  it("is passed over, wherever the path leads first [P20]", () => {
    const place = put("workspace")
    const link = join(folder, "linked")
    mkdirSync(link)
    symlinkSync(join(place, "bwrap"), join(link, "bwrap"))
    const found = locate(
      "bwrap",
      [place, link, "relative", "", ...(process.env.PATH ?? "").split(":")].join(":")
    )
    expect(found.at).not.toBe(join(place, "bwrap"))
    expect(found.at).not.toBe(join(link, "bwrap"))
    if (canRun) expect(found.at).toMatch(/^\/(usr\/)?bin\/bwrap$/)
    expect(check(join(place, "bwrap"))).toEqual({ at: undefined, why: "writable" })
    expect(check("bwrap")).toEqual({ at: undefined, why: "writable" })
  })

  it("is said to be there, where there is no other", () => {
    const place = put("only")
    writeFileSync(join(place, "no-such-holder"), "#!/bin/sh\n", { mode: 0o755 })
    chmodSync(join(place, "no-such-holder"), 0o755)
    expect(locate("no-such-holder", place)).toEqual({ at: undefined, why: "writable" })
    expect(locate("no-such-holder", "")).toEqual({ at: undefined, why: "missing" })
    const relative = join("..", "..", "..", "..", "..", "..", "..", place)
    expect(locate("no-such-holder", relative)).toEqual({ at: undefined, why: "relative" })
  })
})

describe("why children are not held", () => {
  it("names the command that installs what is missing, for the distribution", () => {
    for (const [id, command] of [
      ["debian", "apt-get install"],
      ["linuxmint\nID_LIKE=ubuntu", "apt-get install"],
      ["fedora", "dnf install"],
      ['rocky\nID_LIKE="rhel centos fedora"', "dnf install"],
      ["arch", "pacman -S"],
      ["alpine", "apk add"],
      ['opensuse-leap\nID_LIKE="suse opensuse"', "zypper install"]
    ]) {
      expect(missing(system({ "/etc/os-release": `ID=${id}\n` }), "bwrap", "missing")).toEqual({
        kind: "not_installed",
        why: "bwrap is not installed",
        remedy: `install it with '${command} bubblewrap'`
      })
    }
    expect(missing(system({}), "prlimit", "missing")).toEqual({
      kind: "not_installed",
      why: "prlimit is not installed",
      remedy: "install the package 'util-linux'"
    })
  })

  it("tells a setuid one, which would hold with the rights of root, from others [P21]", () => {
    expect(missing(system(debian), "bwrap", "setuid")).toEqual({
      kind: "setuid",
      why: "bwrap is setuid, and would hold children with the rights of root",
      remedy: "take the bit away with 'chmod u-s' and allow user namespaces instead"
    })
    const path = join(folder, "setuid")
    copyFileSync("/bin/true", path)
    chmodSync(path, 0o4755)
    expect(check(path)).toEqual({ at: undefined, why: "setuid" })
    for (const why of ["writable", "relative"] as const) {
      expect(missing(system(debian), "bwrap", why).remedy).toBe(
        "install it with 'apt-get install bubblewrap'"
      )
    }
  })

  const userns = "/proc/sys/kernel/unprivileged_userns_clone"
  const most = "/proc/sys/user/max_user_namespaces"
  const apparmor = "/proc/sys/kernel/apparmor_restrict_unprivileged_userns"
  const forbidden =
    "bwrap: No permissions to create new namespace, likely because the kernel does not allow non-privileged user namespaces."

  it.each([
    ["an old bwrap", "bwrap: Unknown option --ro-bind-fd", {}, "bwrap is too old", "0.10 or later"],
    [
      "a switch of the kernel",
      forbidden,
      { [userns]: "0\n" },
      "unprivileged_userns_clone",
      "sysctl -w kernel.unprivileged_userns_clone=1"
    ],
    [
      "a number of namespaces",
      "bwrap: Creating new namespace failed: No space left on device",
      { [userns]: "1\n", [most]: "0\n" },
      "max_user_namespaces",
      "sysctl -w user.max_user_namespaces"
    ],
    [
      "AppArmor",
      "bwrap: setting up uid map: Permission denied",
      { [apparmor]: "1\n" },
      "by AppArmor",
      "/etc/apparmor.d/bwrap"
    ],
    [
      "AppArmor, at the network",
      "bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted",
      { [apparmor]: "1\n" },
      "by AppArmor",
      "apparmor_restrict_unprivileged_userns=0"
    ],
    [
      "a container",
      forbidden,
      { "/.dockerenv": "" },
      "in this container",
      "--security-opt seccomp=unconfined"
    ],
    ["a container of podman", forbidden, { "/run/.containerenv": "" }, "in this container", "--security-opt"],
    ["a pod", forbidden, { "/proc/1/cgroup": "0::/kubepods/x\n" }, "in this container", "--security-opt"],
    [
      "a masked /proc",
      "bwrap: Can't mount proc on /newroot/proc: Operation not permitted",
      { "/.dockerenv": "" },
      "masks /proc",
      "systempaths=unconfined"
    ],
    [
      "something else that forbids",
      forbidden,
      {},
      "user namespaces are forbidden",
      "allow this user to make them"
    ],
    [
      "no filters",
      "bwrap: prctl(PR_SET_SECCOMP): Invalid argument",
      {},
      "no filter of system calls",
      "CONFIG_SECCOMP_FILTER"
    ],
    ["what nobody has met yet", "bwrap: the moon is full", {}, "says 'bwrap: the moon is full'", "by hand"],
    ["silence", "", {}, "bwrap does not start here", "by hand"]
  ])("tells %s apart, with what to do", (_, said, files, why, remedy) => {
    const found = diagnose(system(files as unknown as Record<string, string>), said)
    expect(found.why).toContain(why)
    expect(found.remedy).toContain(remedy)
  })
})
