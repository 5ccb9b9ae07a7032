/**
 * What a worker says of its tools, read as a stranger's: what does not fit is refused as a whole, in words.
 *
 * @since 0.1.0
 */
import { Either, ParseResult, Schema } from "effect"
import { Capabilities } from "../../capabilities/Capabilities.js"
import { type Capability, isCapability } from "../../policy/lattice/Facets.js"
import { isToolName } from "../../policy/ToolOrigin.js"
import { ordered } from "../../policy/text/OrderedJson.js"
import { hasControl, seen } from "../../policy/text/Quote.js"
import { sha256 } from "../../policy/text/Sha256.js"
import { jsonSchemaOf, visible } from "../../policy/text/Stranger.js"
import { IsolatedError } from "./IsolatedError.js"
import type { Limits } from "./Limits.js"

const Line = Schema.String.pipe(
  Schema.maxLength(256),
  Schema.filter((text) => text !== "" && seen(text) === text && !hasControl(text), {
    message: () => "expected a line of visible characters"
  })
)

const JsonSchema = Schema.Record({ key: Schema.String, value: Schema.Unknown })

const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

const CapabilityName = Schema.String.pipe(
  Schema.filter((name): name is Capability => isCapability(name), {
    message: () => "expected a capability"
  })
)

/** Nobody waits longer, and a stranger's tool has an end. */
const DAY_MILLIS = 86_400_000

/**
 * One tool, as its worker describes it.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Described = Schema.Struct({
  /** The export that it is, or is listed in. */
  exported: Line,
  at: optional(Schema.NonNegativeInt),
  name: Schema.String.pipe(Schema.filter(isToolName, { message: () => "expected the name of a tool" })),
  description: Schema.String.pipe(
    Schema.filter((text) => text.trim() !== "", { message: () => "expected a description" })
  ),
  parameters: JsonSchema,
  success: optional(JsonSchema),
  failure: optional(JsonSchema),
  capabilities: Capabilities,
  services: Schema.Array(Line).pipe(Schema.maxItems(64)),
  deadlineMillis: optional(Schema.Positive.pipe(Schema.lessThanOrEqualTo(DAY_MILLIS))),
  resultLimit: optional(Schema.Int.pipe(Schema.positive())),
  readOnly: Schema.Boolean,
  idempotent: optional(Schema.Boolean),
  category: optional(Line),
  outputIsUntrusted: Schema.Boolean,
  cache: Schema.Boolean,
  needs: optional(Schema.Array(CapabilityName).pipe(Schema.maxItems(64))),
  asks: Schema.Boolean,
  isAvailable: Schema.Boolean
}).annotations({ parseOptions: { onExcessProperty: "error" } })

/**
 * @since 0.1.0
 * @category models
 */
export interface Described extends Schema.Schema.Type<typeof Described> {}

const Hello = Schema.Struct({
  tools: Schema.Array(Schema.Unknown),
  /** The name of two tools that are not the same: only their process can tell, where they describe themselves alike. */
  taken: optional(Schema.String)
}).annotations({ parseOptions: { onExcessProperty: "error" } })

const invalid = (detail: string) => Either.left(new IsolatedError({ code: "DESCRIPTION_REFUSED", detail }))

const reason = (error: ParseResult.ParseError): string => {
  const [issue] = ParseResult.ArrayFormatter.formatErrorSync(error)
  return issue === undefined
    ? "it does not fit"
    : visible(`${issue.path.map(String).join(".")}: ${issue.message}`, 300)
}

const namesIn = (declared: unknown): number =>
  typeof declared === "object" && declared !== null
    ? Object.values(declared).reduce((count: number, one) => count + namesIn(one), 0)
    : 1

const read = (given: unknown, limits: Limits): Either.Either<Described, IsolatedError> =>
  Either.gen(function* () {
    const one = yield* Either.orElse(Schema.decodeUnknownEither(Described)(given), (error) =>
      invalid(`the module describes a tool in a way that cannot be accepted: ${reason(error)}`)
    )
    if (namesIn(one.capabilities) > limits.declared) {
      return yield* invalid(`the tool ${one.name} declares more than ${limits.declared} names`)
    }
    const shapes: Record<string, Readonly<Record<string, unknown>>> = {}
    for (const part of ["parameters", "success", "failure"] as const) {
      if (one[part] === undefined) continue
      const shape = jsonSchemaOf(one[part], limits)
      if (shape === undefined) {
        return yield* invalid(
          `the tool ${one.name} has a schema of its ${part} that is too long, too deep, or hides something`
        )
      }
      shapes[part] = shape
    }
    if (shapes.parameters?.type !== "object") {
      return yield* invalid(`the tool ${one.name} has parameters that are no object`)
    }
    return { ...one, ...shapes, description: visible(one.description, limits.descriptionLength) }
  })

/**
 * Reads what a worker says first.
 *
 * @since 0.1.0
 * @category reading
 */
export const readHello = (
  hello: unknown,
  limits: Limits
): Either.Either<ReadonlyArray<Described>, IsolatedError> =>
  Either.gen(function* () {
    const { taken, tools } = yield* Either.orElse(Schema.decodeUnknownEither(Hello)(hello), () =>
      invalid("the module says nothing of its tools that can be read")
    )
    if (tools.length > limits.tools) return yield* invalid(`the module has more than ${limits.tools} tools`)
    const all = yield* Either.all(tools.map((one) => read(one, limits)))
    const known = new Map<string, string>()
    for (const { at: _, exported: __, ...tool } of all) {
      const same = JSON.stringify(ordered(tool))
      // A tool may be exported twice: by its name, and in a list.
      if (taken === tool.name || (known.get(tool.name) ?? same) !== same) {
        const places = all.flatMap(({ exported, name }) => (name === tool.name ? [exported] : [])).join(", ")
        return yield* invalid(`the module has two tools of the name ${tool.name}: ${visible(places, 300)}`)
      }
      known.set(tool.name, same)
    }
    return all
  })

/**
 * Tells one description from another in every part of it.
 *
 * @since 0.1.0
 * @category deciding
 */
export const digestOf = (described: Described): string => sha256(JSON.stringify(ordered(described)))
