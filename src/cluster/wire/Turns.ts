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

const TurnBody = Schema.Struct({
  v: Schema.Literal(VERSION),
  /** What the turn is called: with its contents, what makes it the same turn when it is sent again. */
  id: Schema.String,
  /** When it was sent, and until when it may begin, by the clock of who sent it. */
  at: Schema.Finite,
  until: Schema.Finite,
  session: Schema.String,
  agent: optional(Schema.String),
  personality: optional(Schema.String),
  revision: Schema.String,
  workdir: Schema.String,
  attachments: Schema.Array(Attachment),
  exclude: Schema.Array(Schema.String),
  dryRun: Schema.Boolean,
  budget: Schema.Number,
  /** Nothing where there is none. */
  deadlineMillis: Schema.NullOr(Schema.Number),
  concurrency: Schema.Number,
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
    until: at + patienceMillis,
    session: turn.session,
    ...(agent === undefined ? {} : { agent }),
    ...(personality === undefined ? {} : { personality }),
    revision,
    workdir: turn.workdir,
    attachments: turn.attachments,
    exclude: [...turn.exclude].sort(),
    dryRun: turn.dryRun,
    budget: turn.budget,
    deadlineMillis: Duration.isFinite(turn.deadline) ? Duration.toMillis(turn.deadline) : null,
    concurrency: turn.concurrency,
    redactTokens: turn.redactTokens,
    calls: calls.map(({ args, id, name }) => ({ id, name, args }))
  }
}

/** The same turn has the same key whenever it is sent. */
const keyOf = ({ at: _, until: __, ...body }: TurnBody): string => digest(JSON.stringify(ordered(body)))

export const sealTurn = (keys: Keyring, body: TurnBody): Sealed => {
  const key = keyOf(body)
  return { key, sealed: seal(keys, ["turn", entityOf(body.session), key], JSON.stringify(body)) }
}

const parsed = <A, I>(schema: Schema.Schema<A, I>, text: string): Either.Either<A, Unsealed> => {
  try {
    return Either.mapLeft(
      Schema.decodeUnknownEither(schema)(unpack(JSON.parse(text))),
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
      parsed(TurnBody, text),
      (body) => entityOf(body.session) === entity && keyOf(body) === key,
      (): Unsealed => "altered"
    )
  )

const sealAs = (keys: Keyring, purpose: ReadonlyArray<string>, value: unknown): string =>
  seal(keys, purpose, JSON.stringify(pack(value)))

export const sealReply = (keys: Keyring, key: string, { events, results }: Omit<ReplyBody, "v">): string =>
  sealAs(keys, ["reply", key], { v: VERSION, results, events })

export const openReply = (keys: Keyring, key: string, sealed: string): Either.Either<ReplyBody, Unsealed> =>
  Either.flatMap(open(keys, ["reply", key], sealed), (text) => parsed(ReplyBody, text))

/** What came of one call, as it is kept beside the claim to it. */
export const sealResult = (keys: Keyring, key: string, call: number, result: ToolResult.ToolResult): string =>
  sealAs(keys, ["result", key, String(call)], result)

export const openResult = (
  keys: Keyring,
  key: string,
  call: number,
  sealed: string
): Either.Either<ToolResult.ToolResult, Unsealed> =>
  Either.flatMap(open(keys, ["result", key, String(call)], sealed), (text) =>
    parsed(ToolResult.ToolResult, text)
  )
