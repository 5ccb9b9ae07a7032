/**
 * A turn and its answer as they travel. The policy stays at home: a runner loads its own, and takes the turn only under the
 * same revision. What `~` stands for is the runner's, too. No backend, no secret and no code is ever sent.
 */
import { createHash, randomUUID } from "node:crypto"
import { Duration, Either, Schema } from "effect"
import { Attachment } from "../../capabilities/attachments/AttachmentsOperations.js"
import { ordered } from "../../policy/text/OrderedJson.js"
import type { Call } from "../../registry/Call.js"
import * as ToolResult from "../../registry/ToolResult.js"
import { Event } from "../../registry/Transcript.js"
import type { Turn } from "../../registry/Turn.js"
import type { Keyring } from "./Keys.js"
import { pack, unpack } from "./Portable.js"
import { open, seal, type Unsealed } from "./Sealing.js"

const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

/** Of another version nothing is known. */
const VERSION = 1

/** Nothing where there is none: JSON has no word for what has no end. */
const Limit = Schema.NullOr(Schema.Finite.pipe(Schema.nonNegative()))

const limit = (given: number): number | null =>
  given === Number.POSITIVE_INFINITY ? null : Math.max(0, given) || 0

const unlimited = (given: number | null): number => given ?? Number.POSITIVE_INFINITY

const TurnBody = Schema.Struct({
  v: Schema.Literal(VERSION),
  /** What the turn is called: with its contents, what makes it the same turn when it is sent again. */
  id: Schema.String,
  /** When it was sent, and until when it may begin, by the clock of who sent it. */
  at: Schema.Finite,
  until: Schema.NullOr(Schema.Finite),
  session: Schema.String,
  agent: optional(Schema.String),
  personality: optional(Schema.String),
  revision: Schema.String,
  workdir: Schema.String,
  attachments: Schema.Array(Attachment),
  exclude: Schema.Array(Schema.String),
  dryRun: Schema.Boolean,
  budget: Limit,
  deadlineMillis: Limit,
  concurrency: Limit,
  redactTokens: Schema.Boolean,
  calls: Schema.Array(Schema.Struct({ id: Schema.String, name: Schema.String, args: Schema.Unknown }))
})

export interface TurnBody extends Schema.Schema.Type<typeof TurnBody> {}

const ReplyBody = Schema.Struct({
  v: Schema.Literal(VERSION),
  results: Schema.Array(
    Schema.Struct({
      id: Schema.String,
      name: Schema.String,
      result: ToolResult.ToolResult,
      revision: Schema.String
    })
  ),
  events: Schema.Array(Event)
})

export interface ReplyBody extends Schema.Schema.Type<typeof ReplyBody> {}

/** A message of an entity: the key is its primary key, the rest is sealed. */
export interface Sealed {
  readonly key: string
  readonly sealed: string
}

const digest = (text: string): string => createHash("sha256").update(text, "utf8").digest("hex")

/** The entity of a session: any text may name a session, and a row takes few characters and not all of them. */
export const entityOf = (session: string): string => digest(`session\0${session}`)

export interface Sending {
  readonly turn: Turn
  readonly calls: ReadonlyArray<Call>
  readonly id?: string | undefined
  readonly at: number
  readonly patienceMillis: number
}

export const bodyOf = ({ at, calls, id, patienceMillis, turn }: Sending): TurnBody => {
  const { agent, personality, revision } = turn.policy
  return {
    v: VERSION,
    id: id ?? randomUUID(),
    at,
    until: Number.isFinite(patienceMillis) ? at + patienceMillis : null,
    session: turn.session,
    ...(agent === undefined ? {} : { agent }),
    ...(personality === undefined ? {} : { personality }),
    revision,
    workdir: turn.workdir,
    attachments: turn.attachments,
    exclude: [...turn.exclude].sort(),
    dryRun: turn.dryRun,
    budget: limit(turn.budget),
    deadlineMillis: limit(Duration.toMillis(turn.deadline)),
    concurrency: limit(turn.concurrency),
    redactTokens: turn.redactTokens,
    calls: calls.map(({ args, id, name }) => ({ id, name, args }))
  }
}

export const limitsOf = ({ budget, concurrency, deadlineMillis }: TurnBody) => ({
  budget: unlimited(budget),
  concurrency: unlimited(concurrency),
  deadline: Duration.millis(unlimited(deadlineMillis))
})

/** The same turn has the same key whenever it is sent. */
const keyOf = ({ at: _, until: __, ...body }: TurnBody): string => digest(JSON.stringify(ordered(body)))

/** Whether a runner can be sent it. */
export const isCarried = ({ sealed }: Sealed): boolean => sealed.length <= (MOST / 3) * 4

export const sealTurn = (keys: Keyring, body: TurnBody): Sealed => {
  const key = keyOf(body)
  return { key, sealed: seal(keys, ["turn", entityOf(body.session), key], JSON.stringify(body)) }
}

const parsed = <A, I>(
  schema: Schema.Schema<A, I>,
  text: string,
  read: (json: unknown) => unknown = unpack
): Either.Either<A, Unsealed> => {
  try {
    return Either.mapLeft(
      Schema.decodeUnknownEither(schema)(read(JSON.parse(text))),
      () => "not of this cluster"
    )
  } catch {
    return Either.left("not of this cluster")
  }
}

export const openTurn = (
  keys: Keyring,
  entity: string,
  { key, sealed }: Sealed
): Either.Either<TurnBody, Unsealed> =>
  Either.flatMap(open(keys, ["turn", entity, key], sealed), (text) =>
    Either.filterOrLeft(
      // Arguments are a model's, and are what they look like.
      parsed(TurnBody, text, (json) => json),
      (body) => entityOf(body.session) === entity && keyOf(body) === key,
      (): Unsealed => "altered"
    )
  )

/** What a message may have, in bytes before it is sealed: a frame takes it, and nobody is held up for long. */
const MOST = 16 * 1024 * 1024

const TOO_LARGE = ToolResult.fail(
  "execution_failed",
  "the call was made, and its answer is larger than what a cluster carries from one machine to another; have the tool answer with less"
)

/** Nothing where it is too large to be carried. */
const written = (value: unknown, most = MOST): string | undefined => {
  try {
    const text = JSON.stringify(pack(value))
    return Buffer.byteLength(text) > most ? undefined : text
  } catch {
    return undefined
  }
}

/** Of results that are too large together, the largest are left out. */
const carried = (results: ReplyBody["results"]): ReplyBody["results"] => {
  const sizes = results.map(({ result }) => written(result)?.length ?? MOST)
  let left = MOST / 4
  const kept = new Set(
    [...sizes.entries()]
      .sort(([, a], [, b]) => a - b)
      .flatMap(([at, size]) => {
        left -= size
        return left < 0 ? [] : [at]
      })
  )
  return results.map((one, at) => (kept.has(at) || !one.result.ok ? one : { ...one, result: TOO_LARGE }))
}

export const sealReply = (keys: Keyring, key: string, { events, results }: Omit<ReplyBody, "v">): string =>
  seal(
    keys,
    ["reply", key],
    written({ v: VERSION, results, events }) ??
      JSON.stringify(pack({ v: VERSION, results: carried(results), events: [] }))
  )

export const openReply = (keys: Keyring, key: string, sealed: string): Either.Either<ReplyBody, Unsealed> =>
  Either.flatMap(open(keys, ["reply", key], sealed), (text) => parsed(ReplyBody, text))

/** What came of one call, as it is kept beside the claim to it; nothing where it is too large. */
export const sealResult = (
  keys: Keyring,
  key: string,
  call: number,
  result: ToolResult.ToolResult
): string | undefined => {
  const text = written(result)
  return text === undefined ? undefined : seal(keys, ["result", key, String(call)], text)
}

export const openResult = (
  keys: Keyring,
  key: string,
  call: number,
  sealed: string
): Either.Either<ToolResult.ToolResult, Unsealed> =>
  Either.flatMap(open(keys, ["result", key, String(call)], sealed), (text) =>
    parsed(ToolResult.ToolResult, text)
  )
