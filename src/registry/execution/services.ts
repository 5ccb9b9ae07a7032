/** The services of one tool in one turn, as the Context that it runs in: those it declares or lists, and no others. */
import { Context, Effect, Either } from "effect"
import { AttachmentsBackend } from "../../capabilities/attachments/AttachmentsBackend.js"
import type { Attachment } from "../../capabilities/attachments/AttachmentsOperations.js"
import { type Capabilities, ofItself, walk } from "../../capabilities/Capabilities.js"
import { backendOf, type Given, type Located, type Made } from "../../capabilities/Category.js"
import { NetworkBackend } from "../../capabilities/network/NetworkBackend.js"
import { ProcessBackend } from "../../capabilities/process/ProcessBackend.js"
import { type Scrubbing, Sealing } from "../../capabilities/secrets/Sealing.js"
import { SecretsBackend } from "../../capabilities/secrets/SecretsBackend.js"
import type { Holder } from "../../policy/gate/Asking.js"
import * as Floor from "../../policy/gate/floor/Floor.js"
import * as Authority from "../../policy/lattice/Authority.js"
import * as Request from "../../policy/lattice/Request.js"
import * as AppServices from "../../tools/AppServices.js"
import * as Isolation from "../../tools/Isolation.js"
import { Progress } from "../../tools/Progress.js"
import * as Backends from "../Backends.js"
import {
  missingBackend,
  missingEnclosure,
  missingSandbox,
  missingService,
  type NotAvailable
} from "../NotAvailable.js"
import type { Registration } from "../Plan.js"
import * as Serving from "../Serving.js"
import type { Turn } from "../Turn.js"

/** A tool in a turn, and what its services are made of. */
export interface Asking extends Omit<Given, "sealing"> {
  readonly declared: Capabilities
  /** The keys of the application services that it lists. */
  readonly listed: ReadonlyArray<string>
  readonly turn: Turn
  /** What it was registered for. */
  readonly registered?: Registration | undefined
  /** What it is besides, if it runs in a process of its own. */
  readonly isolation?: Isolation.Isolation | undefined
  readonly shown: (text: string) => string
  readonly discreet: <A>(value: A) => A
  readonly scrubbing: (further: ReadonlyArray<string>) => Scrubbing
}

/** What a tool sends and never sees, for one turn: both its secrets and its network know of it. */
const sealingOf = ({ backends, declared, holder, revealed, scrubbing, turn }: Asking): Sealing =>
  new Sealing({
    holder,
    declared: declared.secrets ?? [],
    policy: turn.policy.authority,
    backend: backends.unsafeMap.get(SecretsBackend.key) as SecretsBackend.Service | undefined,
    revealed,
    scrubbing
  })

const permitted = ({ authority }: Holder, { type }: Attachment): boolean =>
  Either.match(Request.attachment(type), {
    onLeft: () => false,
    onRight: (request) => Authority.permits(authority, request).allowed
  })

const isOpen = ({ floor }: Holder, path: string): boolean =>
  Either.match(Request.file("read", path), {
    onLeft: () => false,
    onRight: (request) => Floor.forbids(floor, request) === undefined
  })

interface Attached {
  readonly attached: ReadonlyArray<Located>
  readonly unplaced: ReadonlyArray<Attachment>
}

const nothingAttached: Attached = { attached: [], unplaced: [] }

/** The attachments that the holder may see. One that lies where no policy lets anybody read is left out. */
const located = (asking: Asking): Effect.Effect<Attached> => {
  const { declared, holder, turn } = asking
  if (declared.attachments === undefined || turn.attachments.length === 0) {
    return Effect.succeed(nothingAttached)
  }
  const { locate } = backendOf(asking, AttachmentsBackend)
  const one = (attachment: Attachment) =>
    Effect.map(
      Effect.option(locate(turn.session, attachment)),
      (path): Attached =>
        path._tag === "None"
          ? { attached: [], unplaced: [attachment] }
          : { attached: isOpen(holder, path.value) ? [{ attachment, path: path.value }] : [], unplaced: [] }
    )
  return Effect.map(
    Effect.forEach(
      turn.attachments.filter((attachment) => permitted(holder, attachment)),
      one
    ),
    (all) => ({
      attached: all.flatMap(({ attached }) => attached),
      unplaced: all.flatMap(({ unplaced }) => unplaced)
    })
  )
}

export const contextOf = (asking: Asking): Effect.Effect<Context.Context<never>, NotAvailable> => {
  const { backends, declared, holder, listed, turn } = asking
  const missing = Backends.missing(declared, backends)
  if (missing !== undefined) return Effect.fail(missingBackend(holder.tool, missing))
  const unserved = serverLacks(asking)
  if (unserved !== undefined) return Effect.fail(missingBackend(holder.tool, unserved))
  const absent = AppServices.missing(listed, backends)
  if (absent !== undefined) return Effect.fail(missingService(holder.tool, absent))
  const heard = backends.unsafeMap.get(Progress.key)
  const given: ReadonlyArray<Made> = [
    ...listed
      .filter((key) => backends.unsafeMap.has(key))
      .map((key): Made => [key, backends.unsafeMap.get(key)]),
    ...(heard === undefined ? [] : [[Progress.key, heard] as const])
  ]
  return Effect.zipRight(
    Effect.all([holding(asking), enclosing(asking), pinning(asking)]),
    Effect.map(located(asking), (attachments) => {
      const { policy, session } = turn
      const sealing = sealingOf(asking)
      const making = {
        ...asking,
        ...attachments,
        sealing,
        holder: { ...holder, sealing },
        paths: turn,
        session,
        personality: policy.personality
      }
      const made = walk(ofItself(declared), ({ services }, given) => services(given, making)).flat()
      return Context.unsafeMake(new Map([...given, ...made, ...servingOf(asking), ...callingOf(asking)]))
    })
  )
}

/** Whether the server of a tool is started here. */
const isStarted = ({ registered }: Asking): boolean => registered?.own?.scopes.process.exec.isEmpty === false

/** The category that the server of a tool has no backend for. */
const serverLacks = (asking: Asking): string | undefined => {
  const { backends, registered } = asking
  if (registered?.own === undefined || registered.requires === "unknown") return undefined
  const needed = [
    ["process", isStarted(asking), ProcessBackend],
    ["network", !isStarted(asking), NetworkBackend],
    ["secrets", registered.requires?.scopes.secrets.seal.isEmpty === false, SecretsBackend]
  ] as const
  return needed.find(([, isNeeded, { key }]) => isNeeded && !backends.unsafeMap.has(key))?.[0]
}

const servingOf = ({
  backends,
  discreet,
  hidden,
  holder,
  registered,
  revealed,
  shown,
  turn
}: Asking): ReadonlyArray<Made> => {
  const { own, requires, server } = registered ?? {}
  if (own === undefined || server === undefined || requires === undefined || requires === "unknown") return []
  const { floor, granter, sandbox, tool } = holder
  const terms = { server, requires, own, session: turn.session, floor, sandbox }
  const calling = { tool, agent: granter.agent }
  const given = { backends, calling, discreet, hearing: holder, hidden, revealed, shown }
  return [[Serving.Serving.key, Serving.make(terms, given)]]
}

/** Commands that must be held run only where something holds them. */
const holding = (asking: Asking): Effect.Effect<void, NotAvailable> => {
  const { declared, holder, turn } = asking
  const { sandbox } = turn.policy
  if (sandbox === "off" || sandbox === "preferred") return Effect.void
  if (declared.process === undefined && !isStarted(asking)) return Effect.void
  return Effect.flatMap(backendOf(asking, ProcessBackend).holding, (found) =>
    found.held || (sandbox === undefined && !found.isExpected)
      ? Effect.void
      : Effect.fail(missingSandbox(holder.tool, found))
  )
}

/** Who runs in a process of its own is told of the turn; nobody else is. */
const callingOf = ({ holder, isolation, turn }: Asking): ReadonlyArray<Made> =>
  isolation === undefined
    ? []
    : [[Isolation.Calling.key, { turn, session: turn.session, sandbox: holder.sandbox }]]

/** A process of a tool's own is held, unless a policy says that it need not be where nothing holds it. */
const enclosing = ({ holder, isolation }: Asking): Effect.Effect<void, NotAvailable> =>
  isolation === undefined || holder.sandbox.mode === "preferred"
    ? Effect.void
    : Effect.flatMap(isolation.holding, (found) =>
        found.held ? Effect.void : Effect.fail(missingEnclosure(holder.tool, found))
      )

const MAX_PINS = 64

/** Finds the binaries that may be run before the tool runs, so that it cannot change what their names stand for. */
const pinning = (asking: Asking): Effect.Effect<void> => {
  const { declared, holder, pins } = asking
  if (declared.process === undefined) return Effect.void
  const { pin } = backendOf(asking, ProcessBackend)
  const names = [...holder.authority.scopes.process.exec.names("argv")].filter((name) => !pins.has(name))
  return Effect.forEach(
    names.slice(0, MAX_PINS),
    // One that is not found is looked for again, and reported, when it is needed.
    (name) => Effect.ignore(Effect.map(pin(name), (found) => pins.set(name, found))),
    { discard: true }
  )
}
