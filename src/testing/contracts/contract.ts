/** What the contracts share: a case, what breaks it, and how it is written. It needs no test runner. */
import { Effect, Schema } from "effect"

/**
 * What a backend did instead of what it must do.
 *
 * @since 0.1.0
 * @category errors
 */
export class ContractBroken extends Schema.TaggedError<ContractBroken>("bailiwick/ContractBroken")(
  "ContractBroken",
  { expected: Schema.String, actual: Schema.Unknown, wanted: Schema.Unknown }
) {
  /** @since 0.1.0 */
  override get message(): string {
    return `${this.expected}: wanted ${JSON.stringify(this.wanted)}, got ${JSON.stringify(this.actual)}`
  }
}

/**
 * One thing that a backend must do, as an Effect that needs the backend and nothing else. One that does not end is
 * broken as well: give the runner a time limit.
 *
 * @since 0.1.0
 * @category models
 */
export interface Case<Backend, Fails> {
  readonly name: string
  readonly run: Effect.Effect<void, ContractBroken | Fails, Backend>
}

/** Every error of a capability. */
interface Failure {
  readonly code: string
  readonly message: string
}

/** Both as JSON: what a backend answers with is data. */
export const must = (
  expected: string,
  actual: unknown,
  wanted: unknown
): Effect.Effect<void, ContractBroken> =>
  JSON.stringify(actual) === JSON.stringify(wanted)
    ? Effect.void
    : new ContractBroken({ expected, actual, wanted })

/** Where two arrays of bytes differ is enough to know: they may be large. */
export const mustBytes = (
  expected: string,
  actual: Uint8Array,
  wanted: Uint8Array
): Effect.Effect<void, ContractBroken> => {
  const at = wanted.findIndex((byte, index) => byte !== actual[index])
  if (at < 0 && actual.length === wanted.length) return Effect.void
  return new ContractBroken({
    expected,
    actual: { length: actual.length, differsAt: at < 0 ? wanted.length : at },
    wanted: { length: wanted.length }
  })
}

export const code = (operation: Effect.Effect<unknown, Failure>): Effect.Effect<string> =>
  Effect.match(operation, { onFailure: (error) => error.code, onSuccess: () => "success" })

export const message = (operation: Effect.Effect<unknown, Failure>): Effect.Effect<string> =>
  Effect.match(operation, { onFailure: (error) => error.message, onSuccess: () => "success" })

/** Fails with one of these codes, in a message that begins with it, and repeats none of these words. */
export const mustRefuse = (
  expected: string,
  operation: Effect.Effect<unknown, Failure>,
  codes: string | ReadonlyArray<string>,
  secrets: ReadonlyArray<string> = []
): Effect.Effect<void, ContractBroken> =>
  Effect.flatMap(Effect.either(operation), (outcome) => {
    const wanted = [codes].flat()
    if (outcome._tag === "Right") return new ContractBroken({ expected, actual: "success", wanted })
    const { code, message } = outcome.left
    if (!wanted.includes(code) || !message.startsWith(`${code}: `)) {
      return new ContractBroken({ expected, actual: message, wanted })
    }
    const whole = `${message} ${JSON.stringify(outcome.left)}`
    return secrets.some((secret) => whole.includes(secret))
      ? new ContractBroken({
          expected: `${expected}: what the error tells`,
          actual: "one",
          wanted: "no word that is to be kept"
        })
      : Effect.void
  })

/** Each byte that there is, over and over; the start makes one content differ from another. */
export const bytesFrom = (start: number, length: number): Uint8Array =>
  Uint8Array.from({ length }, (_, index) => (index * 7 + start) % 256)

/** Contents that a backend which takes bytes for text would change. */
export const contents: ReadonlyArray<Uint8Array> = [
  new Uint8Array(0),
  new Uint8Array([0]),
  new Uint8Array([0xef, 0xbb, 0xbf, 0x61, 13, 10, 0, 10, 13]),
  new Uint8Array([0xff, 0xfe, 0xc3, 0x28, 0xed, 0xa0, 0x80]),
  bytesFrom(0, 256),
  bytesFrom(3, 1024 * 1024 + 1)
]

const encoder = new TextEncoder()
const decoder = new TextDecoder()

export const utf8 = (text: string): Uint8Array => encoder.encode(text)

export const text = (bytes: Uint8Array): string => decoder.decode(bytes)

let count = 0

/** A name for what belongs to one run of a case, so that cases do not meet. */
export const unique = (): string => `contract-${++count}-${Math.random().toString(36).slice(2)}`
