/** What a worker answers with, read as a stranger's: a value, or a failure that its caller can tell from others. */
import { Effect, Either, Schema } from "effect"
import { categories, categoryNames } from "../../capabilities/Capabilities.js"
import { Denial } from "../../policy/lattice/Denial.js"
import { ordered } from "../../policy/text/OrderedJson.js"
import { InputInvalid } from "../../registry/InputInvalid.js"
import { Misbehaved, type Worker } from "./Worker.js"

type Data = Readonly<Record<string, unknown>>

const isData = (value: unknown): value is Data =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** What a refusal is about, whatever its words are. */
const matterOf = ({ asked, capability }: Data): string => JSON.stringify([capability, asked])

/** The refusals of one call: what a worker says of a refusal is believed where it was made here. */
export class Denials {
  /** None, for most calls. */
  private made: Map<string, Denial> | undefined

  constructor(private readonly worker: Pick<Worker, "refused">) {}

  private keyOf({ tool: _, ...denial }: Data): string {
    return JSON.stringify(ordered(denial))
  }

  /** Hears what an operation failed with. */
  heard(failure: unknown): void {
    const denial = isData(failure) ? failure.denial : undefined
    if (!isData(denial)) return
    const { refused } = this.worker
    if (refused !== undefined && refused.add(matterOf(denial)).size > MOST) this.worker.refused = undefined
    this.made ??= new Map()
    if (this.made.size >= MOST) return
    const encoded = Schema.encodeUnknownEither(Denial)(denial)
    if (Either.isRight(encoded)) this.made.set(this.keyOf(encoded.right), denial as unknown as Denial)
  }

  /**
   * The refusal that is claimed, if it was made here. One that another call of the worker met, or that its tool has put in
   * other words or in a failure of its own, is nobody's lie; an error of a capability about what was never refused is.
   */
  proven(claim: unknown, failure: unknown): Denial | undefined {
    if (!isData(claim)) return undefined
    if (schemaOf(failure) !== undefined && this.worker.refused?.has(matterOf(claim)) === false) {
      throw new Misbehaved("it failed with a refusal that nobody made")
    }
    return this.made?.get(this.keyOf(claim))
  }
}

const MOST = 1024

const LONGEST = 16_384

/** A failure of a tool whose class is in its worker: it has the tag and the fields, and is told apart by them. */
class Revived extends Error {
  constructor(message: string, fields: Data, denial: Denial | undefined) {
    super(message)
    for (const [key, value] of Object.entries(fields)) {
      if (TAKEN.has(key)) continue
      Object.defineProperty(this, key, { value, enumerable: true, configurable: true })
    }
    const tag = fields._tag
    this.name = typeof tag === "string" ? tag : "Error"
    this.stack = `${this.name}: ${message}`
    if (denial !== undefined) Object.defineProperty(this, "denial", { value: denial, enumerable: true })
  }
}

const TAKEN = new Set([
  "__proto__",
  "constructor",
  "message",
  "stack",
  "name",
  "cause",
  "denial",
  "toString",
  "toJSON"
])

const errors: ReadonlyMap<string, Schema.Schema.AnyNoContext> = new Map(
  categoryNames.map((name) => [categories[name].error._tag, categories[name].error] as const)
)

const schemaOf = (failure: unknown): Schema.Schema.AnyNoContext | undefined =>
  isData(failure) && typeof failure._tag === "string" ? errors.get(failure._tag) : undefined

/** The error of a capability is one here too. */
const ofCapability = (failure: Data, denial: Denial | undefined): unknown => {
  const schema = schemaOf(failure)
  if (schema === undefined) return undefined
  const { denial: _, ...rest } = failure
  const made = Schema.decodeUnknownEither(schema)(denial === undefined ? rest : { ...rest, denial })
  return Either.getOrUndefined(made)
}

const failureOf = (words: string, failure: unknown, denial: Denial | undefined): unknown => {
  if (isData(failure)) return ofCapability(failure, denial) ?? new Revived(words, failure, denial)
  if (denial !== undefined) return new Revived(words, {}, denial)
  return typeof failure === "object" || failure === undefined ? words : failure
}

/** The log has what it broke with, as text; the model is told of it what it would be of an error in this process. */
const broken = (words: string, defect: string): Error => {
  const [, name = "Error", message = words] = /^([A-Z]\w*): (.*)/.exec(defect) ?? []
  return Object.assign(new Error(message), { name, stack: defect })
}

/** Throws `Misbehaved` for what is no answer. */
export const answerOf = (value: unknown, denials: Denials): Effect.Effect<unknown, unknown> => {
  const result = isData(value) ? value.result : undefined
  if (!isData(value) || !isData(result)) throw new Misbehaved("it answered with what is no answer")
  if (result.ok === true) return Effect.succeed(result.value ?? null)
  const words =
    typeof result.error === "string" ? result.error.slice(0, LONGEST) : "it failed without saying why"
  if (typeof value.defect === "string") return Effect.die(broken(words, value.defect.slice(0, LONGEST)))
  if (result.code === "interrupted") return Effect.interrupt
  if (result.code === "input_invalid") return Effect.fail(new InputInvalid({ detail: words }))
  return Effect.fail(failureOf(words, value.failure, denials.proven(result.denial, value.failure)))
}
