/**
 * Agents are records whose front matter is authority: to write it, by whatever way, is to grant, and what is granted is
 * within what the granter holds. Everything is asked before anything is written.
 */
import { Effect, Either } from "effect"
import { isAuthorityKey } from "../../policy/agent/AgentFile.js"
import * as AgentRecord from "../../policy/agent/AgentRecord.js"
import * as AgentEdit from "../../policy/agent/edit/AgentEdit.js"
import type { Holder } from "../../policy/gate/Asking.js"
import * as Attenuation from "../../policy/grant/Attenuation.js"
import * as Grant from "../../policy/grant/Grant.js"
import * as Authority from "../../policy/lattice/Authority.js"
import type { Verb } from "../../policy/lattice/Facets.js"
import { passedIn } from "../../policy/lattice/Passed.js"
import * as Request from "../../policy/lattice/Request.js"
import type { Written } from "./Lost.js"
import { proposals } from "./Proposals.js"
import { changed, composed, invalid, notFound, plain, type RecordGate } from "./RecordGate.js"
import type { RecordsBackend } from "./RecordsBackend.js"
import type { RecordsError } from "./RecordsOperations.js"

type FrontMatter = Readonly<Record<string, unknown>>

type Change = Parameters<RecordsBackend.Service["replace"]>[1]

type Done<A> = Effect.Effect<A, RecordsError>

export interface AgentWrites {
  readonly create: (draft: {
    readonly id: string
    readonly frontMatter?: FrontMatter
    readonly body?: string
  }) => Done<RecordsBackend.Stored>
  readonly update: (change: {
    readonly id: string
    readonly frontMatter?: FrontMatter
    readonly body?: string
    readonly revision?: string
  }) => Done<Written>
  readonly grant: (given: { readonly agent: string; readonly grants: ReadonlyArray<string> }) => Done<Written>
  readonly remove: (id: string) => Done<void>
  /** Refuses a change of what the granter itself may do, and its own end, before the record is looked for. */
  readonly notItself: (
    action: "update" | "delete",
    change: { readonly id: string; readonly frontMatter?: FrontMatter }
  ) => Done<void>
  /** The text of a record that becomes an agent, and the permit to make it one. */
  readonly become: (
    id: string,
    text: string
  ) => Done<{ readonly text: string; readonly permit: RecordsBackend.Permit }>
}

const grantsIn = (frontMatter: FrontMatter): boolean => Object.keys(frontMatter).some(isAuthorityKey)

const onlyAuthority = (frontMatter: FrontMatter): FrontMatter =>
  Object.fromEntries(Object.entries(frontMatter).filter(([key]) => isAuthorityKey(key)))

/** What a change of front matter gives: what it writes, and whatever else the agent did not hold before. */
export const newIn = (
  after: AgentRecord.AgentRecord,
  before: AgentRecord.AgentRecord,
  frontMatter: FrontMatter
): ReadonlyArray<Grant.Grant> =>
  after.held
    .filter(
      (one) =>
        (one.from !== "default" && Object.hasOwn(frontMatter, one.from)) ||
        !Authority.within(AgentRecord.authorityOf(one), before.authority)
    )
    .map(({ grant }) => grant)

const edited = (
  result: Either.Either<AgentEdit.Edited, AgentEdit.EditRefused>
): Either.Either<AgentEdit.Edited, RecordsError> => Either.mapLeft(result, invalid)

export const agentWrites = (
  holder: Holder,
  gate: RecordGate,
  backend: RecordsBackend.Service
): AgentWrites => {
  const { granter } = holder
  const places = backend.agents
  const sourceOf = (id: string, text: string) => ({ file: id, id, text })
  const parsed = (id: string, text: string) => AgentRecord.parse(sourceOf(id, text), places)
  const asked = (verb: Verb<"agents">, id: string) => gate.ask(Request.agent(verb, id))
  const notItself = (id: string, action: "grant" | "delete"): Done<void> => {
    const denial = Attenuation.selfModification(granter, id, action)
    return denial === undefined ? Effect.void : gate.refuse(denial)
  }
  const passes = (id: string, all: ReadonlyArray<Authority.Authority>): Done<void> =>
    gate.passes(id, passedIn(Authority.joinAll(all)))
  const within = (id: string, proposed: ReadonlyArray<Attenuation.Proposed>): Done<void> => {
    const denial = Attenuation.exceeding(granter, id, proposed)
    if (denial !== undefined) return gate.refuse(denial)
    return passes(
      id,
      proposed.map(({ authority }) => authority)
    )
  }
  const proposed = (grants: ReadonlyArray<Grant.Grant>, { bound }: AgentRecord.AgentRecord) =>
    proposals(grants, bound, places)
  /** What is wrong in a proposal is said before anything is asked. */
  const sound = (record: AgentRecord.AgentRecord): Done<void> => {
    const [warning] = record.warnings
    return warning === undefined ? Effect.void : Effect.fail(invalid(warning))
  }
  const granting = (id: string) => Effect.zipRight(notItself(id, "grant"), asked("grant", id))
  const stored = (id: string, permit: RecordsBackend.Permit): Done<RecordsBackend.Stored> =>
    Effect.flatMap(backend.head(id), (head) =>
      head.class === "agent" ? backend.read(permit) : Effect.fail(notFound(id))
    )

  /**
   * Written out, so that the record says what the agent holds, and no shorthand says otherwise. What lay outside of a
   * root that is no longer written would come to life, and is left out; so is what has lost its root by this very
   * change, for it would take any other.
   */
  const writtenOut = (
    id: string,
    text: string,
    record: AgentRecord.AgentRecord,
    before?: AgentRecord.AgentRecord
  ): Either.Either<Pick<AgentEdit.Edited, "lost" | "text">, RecordsError> => {
    const rootless = new Set(
      before?.held.flatMap(({ grant, inert }) => (inert?.reason === "no root" ? [Grant.keyOf(grant)] : []))
    )
    const stays = ({ grant, inert }: AgentRecord.Held): boolean =>
      inert?.reason === "no root" ? rootless.has(Grant.keyOf(grant)) : inert?.reason !== "outside the root"
    const grants = record.held.filter(stays).map(({ effective }) => effective)
    return Either.flatMap(edited(AgentEdit.replace(sourceOf(id, text), grants, places)), (result) =>
      Authority.within(result.record.authority, record.authority)
        ? Either.right(result)
        : Either.left(
            invalid({
              detail: "the grants cannot be written out without giving more",
              remedy: "write each with a root of its own"
            })
          )
    )
  }

  /** A new agent: with authority of its own it is a grant, without it holds what every agent does, if the maker does. */
  const become: AgentWrites["become"] = (id, text) =>
    Effect.gen(function* () {
      const record = parsed(id, text)
      yield* sound(record)
      const { access, capabilities, sandbox } = record.written
      const permit = yield* asked("create", id)
      if (capabilities || access || sandbox) {
        yield* granting(id)
        yield* within(
          id,
          yield* proposed(
            record.held.map(({ grant }) => grant),
            record
          )
        )
        return { permit, text: (yield* writtenOut(id, text, record)).text }
      }
      if (Authority.within(record.authority, granter.authority)) {
        yield* passes(id, [record.authority])
        return { permit, text }
      }
      const bare = yield* edited(AgentEdit.replace(sourceOf(id, text), [], places))
      return { permit, text: bare.text }
    })

  /** An agent that becomes another kind of record is an agent less. */
  const leaving = (id: string, change: Change, next: AgentRecord.AgentRecord) =>
    Effect.gen(function* () {
      yield* notItself(id, "delete")
      const before = yield* asked("delete", id)
      const after = yield* gate.ask(Request.record("create", id, next.class ?? "record"))
      return yield* backend.replace({ before, after }, change)
    })

  return {
    become,
    notItself: (action, { frontMatter = {}, id }) => {
      if (action === "delete") return notItself(id, "delete")
      return grantsIn(frontMatter) ? notItself(id, "grant") : Effect.void
    },
    create: ({ body = "", frontMatter = {}, id }) =>
      Effect.gen(function* () {
        const text = yield* composed({ ...frontMatter, class: "agent" }, body)
        const made = yield* become(id, text)
        return yield* backend.create(made.permit, made.text)
      }),
    update: ({ body, id, revision, ...given }) =>
      Effect.gen(function* () {
        const frontMatter = yield* plain(given.frontMatter ?? {})
        const grants = grantsIn(frontMatter)
        if (grants) {
          const alone = yield* composed({ ...onlyAuthority(frontMatter), class: "agent" }, "")
          yield* sound(parsed(id, alone))
        }
        const others = body !== undefined || Object.keys(frontMatter).some((key) => !isAuthorityKey(key))
        const toGrant = grants ? yield* granting(id) : undefined
        const permit = others || toGrant === undefined ? yield* asked("update", id) : toGrant
        const current = yield* stored(id, permit)
        const before = parsed(id, current.text)
        const text = yield* changed(
          current.text,
          body === undefined ? { frontMatter } : { frontMatter, body }
        )
        const after = parsed(id, text)
        const change = (next: string): Change => ({ text: next, revision: current.revision, seen: revision })
        if (after.class !== "agent") return yield* leaving(id, change(text), after)
        if (!grants && Authority.within(after.authority, before.authority)) {
          return yield* backend.replace({ before: permit, after: permit }, change(text))
        }
        yield* sound(after)
        if (!grants) yield* granting(id)
        yield* within(id, yield* proposed(newIn(after, before, frontMatter), after))
        const out = yield* writtenOut(id, text, after, before)
        const written = yield* backend.replace({ before: permit, after: permit }, change(out.text))
        return { ...written, lost: out.lost }
      }),
    grant: ({ agent: id, grants }) =>
      Effect.gen(function* () {
        const all = yield* Either.mapLeft(Either.all(grants.map(Grant.parse)), invalid)
        const permit = yield* granting(id)
        const current = yield* stored(id, permit)
        const given = yield* proposed(all, parsed(id, current.text))
        yield* within(id, given)
        const {
          changed: differs,
          lost,
          text
        } = yield* edited(
          AgentEdit.grant(
            sourceOf(id, current.text),
            given.map((one) => one.grant),
            places
          )
        )
        if (!differs) return current
        const permits = { before: permit, after: permit }
        return { ...(yield* backend.replace(permits, { text, revision: current.revision })), lost }
      }),
    remove: (id) =>
      Effect.gen(function* () {
        yield* notItself(id, "delete")
        const permit = yield* asked("delete", id)
        yield* stored(id, permit)
        yield* backend.remove(permit)
      })
  }
}
