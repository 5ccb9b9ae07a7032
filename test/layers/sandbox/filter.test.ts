/** The filter against the kernel: a small program asks for what is refused, inside a fence that is there without the filter too. */
import { spawnSync } from "node:child_process"
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { has } from "../../../scripts/lib/system.js"
import { bytesFor, isKnown } from "../../../src/layers/node/sandbox/seccomp/SeccompFilter.js"
import { examined, refused } from "../../../src/layers/node/sandbox/seccomp/systemCalls.js"

const { arch } = process
const canRun = has("bwrap") && has("perl") && isKnown(arch)
const column = arch === "arm64" ? 1 : 0

const folder = mkdtempSync(join(tmpdir(), "bailiwick-filter-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Read-only, without network and without rights: what an attack could do without the filter is nothing. */
const FENCE = [
  ["--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts"],
  ["--uid", "1000", "--gid", "1000", "--cap-drop", "ALL", "--die-with-parent", "--new-session"],
  ["--ro-bind", "/", "/", "--dev-bind", "/dev/null", "/dev/null", "--proc", "/proc", "--remount-ro", "/proc"]
].flat()

const run = (isFiltered: boolean, ...command: ReadonlyArray<string>) =>
  spawnSync("bwrap", [...FENCE, ...(isFiltered ? ["--seccomp", "0"] : []), "--", ...command], {
    input: isFiltered && isKnown(arch) ? bytesFor(arch) : "",
    encoding: "utf8"
  })

/** The errors of calls, in their order; 0 for one that went on. */
const errorsOf = (calls: ReadonlyArray<ReadonlyArray<number>>, isFiltered = true): ReadonlyArray<number> => {
  const program = calls
    .map((call) => `$! = 0; print syscall(${call.join(",")}) < 0 ? $! + 0 : 0, "\\n";`)
    .join("\n")
  const { status, stderr, stdout } = run(isFiltered, "perl", "-e", program)
  expect([status, stderr]).toEqual([0, ""])
  return stdout.trim().split("\n").map(Number)
}

const numberOf = (call: keyof typeof examined): number => examined[call][column] ?? 0

const asked = Object.entries(refused).flatMap(([name, numbers]) =>
  numbers[column] === undefined ? [] : [{ name, number: numbers[column] }]
)

describe.skipIf(!canRun)("the kernel", () => {
  it("refuses every call that the list has, with the error of the filter", () => {
    // Each with arguments that are wrong in every case: no call would do anything if it went on.
    expect(errorsOf(asked.map(({ number }) => [number, -1, 0, 0, 0, 0, 0]))).toEqual(asked.map(() => 1))
  })

  it("makes no namespace, by any of three ways", () => {
    const NEWUSER = 0x10000000
    expect(errorsOf([[refused.unshare?.[column] ?? 0, NEWUSER]], false)).toEqual([0])
    expect(
      errorsOf([
        [refused.unshare?.[column] ?? 0, NEWUSER],
        [numberOf("clone"), NEWUSER | 17, 0, 0, 0, 0],
        [numberOf("clone3"), 0, 0]
      ])
    ).toEqual([1, 1, 38])
  })

  it("opens no way to a unix socket, nor to a machine around this one", () => {
    const socket = numberOf("socket")
    const pair = numberOf("socketpair")
    const program = (isFiltered: boolean) => {
      const text = `
        my $two = "\\0" x 8;
        for ([1,1,0],[1,2,0],[1,5,0],[40,1,0],[17,3,0],[16,3,0],[16,3,9],[2,1,0],[10,2,0]) {
          $! = 0; print syscall(${socket}, @$_) < 0 ? $! + 0 : 0, " ";
        }
        for ([1,2,0],[1,3,0],[2,1,0],[1,1,0],[1,5,0]) {
          $! = 0; print syscall(${pair}, @$_, $two) < 0 ? $! + 0 : 0, " ";
        }`
      return run(isFiltered, "perl", "-e", text).stdout.trim()
    }
    expect(program(true)).toBe("97 97 97 97 97 0 97 0 0 97 97 97 0 0")
    // Without the filter a pair of datagrams can be made.
    expect(program(false).split(" ").slice(9, 10)).toEqual(["0"])
  })

  it("types nothing into a terminal, and keeps the personality", () => {
    const [ioctl, personality] = [numberOf("ioctl"), numberOf("personality")]
    expect(
      errorsOf([
        [ioctl, 0, 0x5412, 0],
        [ioctl, 0, 0x541c, 0],
        [personality, 0x0040000],
        [personality, 0xffffffff]
      ])
    ).toEqual([1, 1, 1, 0])
  })

  it("gives no file a mode by which it runs as its owner", () => {
    const NOWHERE = -1
    const asked = (mode: number) => [
      [numberOf("fchmod"), NOWHERE, mode],
      [numberOf("fchmodat"), NOWHERE, 0, mode],
      [numberOf("openat"), NOWHERE, 0, 0x40, mode]
    ]
    const [EPERM, EBADF, EFAULT, ENOSYS] = [1, 9, 14, 38]
    expect(errorsOf(asked(0o4755))).toEqual([EPERM, EPERM, EPERM])
    expect(errorsOf(asked(0o755))).toEqual(errorsOf(asked(0o4755), false))
    expect(errorsOf(asked(0o755))[0]).toBe(EBADF)
    expect(errorsOf([[numberOf("openat2"), NOWHERE, 0, 0, 0]])).toEqual([ENOSYS])
    expect(errorsOf([[numberOf("openat"), NOWHERE, 0, 0, 0o4755]])).toEqual([EFAULT])
  })

  it("knows no call that this list does not", () => {
    expect(errorsOf([[470], [500], [1000]])).toEqual([38, 38, 38])
  })

  it("runs everyday programs: threads, pipes, children", () => {
    const script =
      "echo a | sed s/a/b/; (sleep 0 & wait); perl -e 'pipe(R,W); fork() or exit; wait; print qq(c\\n)'"
    expect(run(true, "sh", "-c", script).stdout).toBe("b\nc\n")
    const threads =
      "const {Worker}=require('worker_threads');new Worker('0',{eval:true}).on('exit',c=>console.log(c))"
    expect(run(true, process.execPath, "-e", threads)).toMatchObject({ status: 0, stdout: "0\n", stderr: "" })
  })
})

/** A program of 64 bits that asks for its number by the interface of 32, and then ends as one of 64. */
const wordsOf32 = (): string => {
  const code = Buffer.from("b814000000cd80b83c00000031ff0f05", "hex")
  const header = Buffer.alloc(120)
  header.write("7f454c46020101", "hex")
  header.writeUInt16LE(2, 16)
  header.writeUInt16LE(62, 18)
  header.writeUInt32LE(1, 20)
  header.writeBigUInt64LE(0x400078n, 24)
  header.writeBigUInt64LE(64n, 32)
  header.writeUInt16LE(64, 52)
  header.writeUInt16LE(56, 54)
  header.writeUInt16LE(1, 56)
  header.writeUInt32LE(1, 64)
  header.writeUInt32LE(5, 68)
  header.writeBigUInt64LE(0x400000n, 80)
  header.writeBigUInt64LE(0x400000n, 88)
  header.writeBigUInt64LE(136n, 96)
  header.writeBigUInt64LE(136n, 104)
  header.writeBigUInt64LE(0x1000n, 112)
  const path = join(folder, "i386")
  writeFileSync(path, Buffer.concat([header, code]))
  chmodSync(path, 0o755)
  return path
}

/** As a shell says it: 128 and SIGSYS. */
const KILLED = 128 + 31

describe.skipIf(!canRun || arch !== "x64")("another binary interface", () => {
  it("ends the process: that of 32 bits [P25]", () => {
    const path = wordsOf32()
    expect(run(false, path)).toMatchObject({ status: 0, stderr: "" })
    expect(run(true, path).status).toBe(KILLED)
  })

  it("ends the process: x32 [P25]", () => {
    expect(run(true, "perl", "-e", "syscall(0x40000000 + 39); print 1")).toMatchObject({
      status: KILLED,
      stdout: ""
    })
  })
})
