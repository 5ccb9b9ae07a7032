/** A small assembler of classic BPF, as the kernel takes it for seccomp: `struct sock_filter { u16 code; u8 jt; u8 jf; u32 k }`. */

export interface Instruction {
  readonly code: number
  readonly jt: number
  readonly jf: number
  readonly k: number
}

export const codes = {
  load: 0x20,
  equals: 0x15,
  atLeast: 0x35,
  hasAny: 0x45,
  and: 0x54,
  answer: 0x06
} as const

type Test = "equals" | "atLeast" | "hasAny"

const one = (code: number, k: number, jt = 0, jf = 0): Instruction => ({ code, jt, jf, k })

/** Where `struct seccomp_data` has the number of the call, the architecture, and the low word of an argument. */
export const fields = {
  call: 0,
  architecture: 4,
  /** The kernel takes each argument that is looked at here as 32 bits, so the high word says nothing. */
  argument: (index: number): number => 16 + 8 * index
}

export const load = (field: number): Instruction => one(codes.load, field)
export const masked = (bits: number): Instruction => one(codes.and, bits)
export const answer = (verdict: number): Instruction => one(codes.answer, verdict)

/** Runs `then` if the test holds, and otherwise what comes after it. `then` ends in an answer, or leaves the loaded word. */
export const when = (test: Test, k: number, then: ReadonlyArray<Instruction>): ReadonlyArray<Instruction> => [
  one(codes[test], k, 0, then.length),
  ...then
]

export const unless = (
  test: Test,
  k: number,
  then: ReadonlyArray<Instruction>
): ReadonlyArray<Instruction> => [one(codes[test], k, then.length, 0), ...then]

/** In the byte order of both architectures, which is little endian. */
export const assemble = (program: ReadonlyArray<Instruction>): Buffer => {
  const bytes = Buffer.alloc(program.length * 8)
  for (const [index, { code, jf, jt, k }] of program.entries()) {
    bytes.writeUInt16LE(code, index * 8)
    // A jump that is too long throws here.
    bytes.writeUInt8(jt, index * 8 + 2)
    bytes.writeUInt8(jf, index * 8 + 3)
    bytes.writeUInt32LE(k, index * 8 + 4)
  }
  return bytes
}
