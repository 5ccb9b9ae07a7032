/** A filter of system calls, run without a kernel: what it answers, for either architecture. */
import { codes } from "../../../src/layers/node/sandbox/seccomp/instructions.js"

export const AUDIT = { x64: 0xc000003e, arm64: 0xc00000b7, i386: 0x40000003, arm: 0x40000028 } as const

export interface Call {
  readonly architecture: number
  readonly number: number
  readonly args?: ReadonlyArray<number | bigint>
}

const dataOf = ({ architecture, args = [], number }: Call): Buffer => {
  const data = Buffer.alloc(64)
  data.writeUInt32LE(number >>> 0, 0)
  data.writeUInt32LE(architecture >>> 0, 4)
  for (const [index, arg] of args.entries())
    data.writeBigUInt64LE(BigInt.asUintN(64, BigInt(arg)), 16 + 8 * index)
  return data
}

export type Verdict = "allow" | "kill" | number

const verdictOf = (answer: number): Verdict => {
  if (answer === 0x7fff0000) return "allow"
  if (answer === 0x80000000) return "kill"
  if (answer >>> 16 === 5) return answer & 0xffff
  throw new Error(`no such answer: ${answer}`)
}

/** What the kernel would answer: the number of an error, or that the call goes on. */
export const evaluate = (program: Buffer, call: Call): Verdict => {
  const data = dataOf(call)
  let accumulator = 0
  for (let at = 0; at * 8 < program.length; at++) {
    const code = program.readUInt16LE(at * 8)
    const k = program.readUInt32LE(at * 8 + 4)
    if (code === codes.load) accumulator = data.readUInt32LE(k)
    else if (code === codes.and) accumulator = (accumulator & k) >>> 0
    else if (code === codes.answer) return verdictOf(k)
    else {
      const holds =
        code === codes.equals
          ? accumulator === k
          : code === codes.atLeast
            ? accumulator >= k
            : (accumulator & k) !== 0
      at += program.readUInt8(at * 8 + (holds ? 2 : 3))
    }
  }
  throw new Error("the program runs out")
}
