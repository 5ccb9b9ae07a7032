/** The threat: a child that asks the kernel for a way around mounts and namespaces. Verdicts without a kernel, for both architectures. */
import { FastCheck } from "effect"
import { describe, expect, it } from "vitest"
import { bytesFor, isKnown } from "../../../src/layers/node/sandbox/seccomp/SeccompFilter.js"
import { examined, LAST_KNOWN, refused } from "../../../src/layers/node/sandbox/seccomp/systemCalls.js"
import { times } from "../../deep.js"
import { AUDIT, evaluate, type Verdict } from "./evaluate.js"

const EPERM = 1
const ENOSYS = 38
const EAFNOSUPPORT = 97

const machines = [
  { name: "x64", column: 0, foreign: AUDIT.i386 },
  { name: "arm64", column: 1, foreign: AUDIT.arm }
] as const

describe.each(machines)("on $name", ({ column, foreign, name }) => {
  const program = bytesFor(name)
  const verdict = (number: number, ...args: ReadonlyArray<number | bigint>): Verdict =>
    evaluate(program, { architecture: AUDIT[name], number, args })
  /** What this architecture does not have is a call that no list names. */
  const numberOf = (call: keyof typeof examined): number => examined[call][column] ?? LAST_KNOWN

  it.each(Object.entries(refused))("%s is refused, or is not there", (_, numbers) => {
    const number = numbers[column]
    if (number === undefined) expect(name).toBe("arm64")
    else expect(verdict(number)).toBe(EPERM)
  })

  it("another binary interface ends the process, whatever it asks [P25]", () => {
    FastCheck.assert(
      FastCheck.property(FastCheck.nat(LAST_KNOWN), (number) => {
        expect(evaluate(program, { architecture: foreign, number })).toBe("kill")
      }),
      { numRuns: times(100) }
    )
    for (const number of [0x40000000, 0x40000000 + 59, 0xffffffff]) {
      expect(verdict(number)).toBe(name === "x64" ? "kill" : ENOSYS)
    }
  })

  it("a call that nobody has looked at yet is not there", () => {
    for (const number of [LAST_KNOWN + 1, LAST_KNOWN + 2, 1000, 0x3fffffff])
      expect(verdict(number)).toBe(ENOSYS)
  })

  it("every other call goes on, whatever its arguments are", () => {
    const listed = new Set(
      [...Object.values(refused), ...Object.values(examined)].map((numbers) => numbers[column])
    )
    const others = FastCheck.nat(LAST_KNOWN).filter((number) => !listed.has(number))
    const words = FastCheck.array(FastCheck.bigInt(0n, 2n ** 64n - 1n), { minLength: 6, maxLength: 6 })
    FastCheck.assert(
      FastCheck.property(others, words, (number, args) => {
        expect(verdict(number, ...args)).toBe("allow")
      }),
      { numRuns: times(300) }
    )
  })

  it("a process and a thread can be made, and a namespace cannot", () => {
    const SIGCHLD = 17
    const thread = 0x3d0f00
    expect(verdict(numberOf("clone"), SIGCHLD)).toBe("allow")
    expect(verdict(numberOf("clone"), thread)).toBe("allow")
    for (const flag of [0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000]) {
      expect(verdict(numberOf("clone"), flag | SIGCHLD)).toBe(EPERM)
      // The kernel drops the high word.
      expect(verdict(numberOf("clone"), 2n ** 32n + BigInt(flag))).toBe(EPERM)
    }
    expect(verdict(numberOf("clone3"))).toBe(ENOSYS)
  })

  it("no file can be made to run as its owner, and every other mode can be given", () => {
    const own = (call: keyof typeof examined) => examined[call][column] !== undefined
    const changing = [
      ["chmod", 1],
      ["fchmod", 1],
      ["fchmodat", 2],
      ["fchmodat2", 2]
    ] as const
    const making = [
      ["creat", 1],
      ["mknod", 1],
      ["mknodat", 2]
    ] as const
    const at = (index: number, mode: number | bigint) => [...new Array<number>(index).fill(0), mode]
    for (const [call, index] of [...changing, ...making].filter(([call]) => own(call))) {
      for (const mode of [0o4755, 0o4000, 0o7777, 2n ** 32n + 0o4755n])
        expect(verdict(numberOf(call), ...at(index, mode))).toBe(EPERM)
      for (const mode of [0, 0o755, 0o1777, 0o100644])
        expect(verdict(numberOf(call), ...at(index, mode))).toBe("allow")
    }
    for (const [call, index] of changing.filter(([call]) => own(call)))
      expect(verdict(numberOf(call), ...at(index, 0o2775))).toBe("allow")
    for (const [call, index] of making.filter(([call]) => own(call)))
      expect(verdict(numberOf(call), ...at(index, 0o2755))).toBe(EPERM)
    for (const [call, flags] of [["open", 1] as const, ["openat", 2] as const]) {
      if (!own(call)) continue
      for (const making of [0x40, 0x241, 0x410000])
        for (const mode of [0o4755, 0o2755, 0o6000])
          expect(verdict(numberOf(call), ...at(flags, making), mode)).toBe(EPERM)
      expect(verdict(numberOf(call), ...at(flags, 0x241), 0o755)).toBe("allow")
      // Whoever makes nothing gives no mode, and something is there all the same.
      expect(verdict(numberOf(call), ...at(flags, 0x80000), 0o6755)).toBe("allow")
    }
    expect(verdict(numberOf("openat2"))).toBe(ENOSYS)
  })

  it("nothing can be typed into a terminal, in any spelling of the number", () => {
    for (const request of [0x5412, 0x541c]) {
      expect(verdict(numberOf("ioctl"), 0, request)).toBe(EPERM)
      expect(verdict(numberOf("ioctl"), 0, 2n ** 32n + BigInt(request))).toBe(EPERM)
    }
    for (const request of [0x5401, 0x5413, 0x541b])
      expect(verdict(numberOf("ioctl"), 0, request)).toBe("allow")
  })

  it("the personality stays as it is, and can be asked for", () => {
    expect(verdict(numberOf("personality"), 0)).toBe("allow")
    expect(verdict(numberOf("personality"), 0xffffffff)).toBe("allow")
    for (const other of [8, 0x0040000, 0x0400000, 0x4000000]) {
      expect(verdict(numberOf("personality"), other)).toBe(EPERM)
    }
  })

  it("a socket speaks IP, or lists one's own interfaces, and nothing else", () => {
    const socket = numberOf("socket")
    const [AF_INET, AF_INET6, AF_NETLINK] = [2, 10, 16]
    expect(verdict(socket, AF_INET, 1)).toBe("allow")
    expect(verdict(socket, AF_INET6, 2)).toBe("allow")
    expect(verdict(socket, AF_NETLINK, 3, 0)).toBe("allow")
    for (const protocol of [4, 9, 12, 15, 16, 21]) {
      expect(verdict(socket, AF_NETLINK, 3, protocol)).toBe(EAFNOSUPPORT)
    }
    const families = Array.from({ length: 64 }, (_, family) => family)
    for (const family of families.filter((one) => ![AF_INET, AF_INET6, AF_NETLINK].includes(one))) {
      expect(verdict(socket, family, 1)).toBe(EAFNOSUPPORT)
    }
    expect(verdict(socket, 2n ** 32n + 1n, 1)).toBe(EAFNOSUPPORT)
  })

  it("a pair of sockets leads to its other end only", () => {
    const pair = numberOf("socketpair")
    const [AF_UNIX, SOCK_CLOEXEC, SOCK_NONBLOCK] = [1, 0o2000000, 0o4000]
    for (const type of [1, 5]) {
      expect(verdict(pair, AF_UNIX, type)).toBe("allow")
      expect(verdict(pair, AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK)).toBe("allow")
    }
    // Datagrams can be sent to any name.
    for (const type of [2, 3, 4, 6]) expect(verdict(pair, AF_UNIX, type | SOCK_CLOEXEC)).toBe(EAFNOSUPPORT)
    for (const family of [2, 10, 30]) expect(verdict(pair, family, 1)).toBe(EAFNOSUPPORT)
  })
})

it("there is a filter for two architectures", () => {
  expect(["x64", "arm64", "ia32", "riscv64"].map(isKnown)).toEqual([true, true, false, false])
})
