/**
 * Changes what an agent's record grants, as an edit of its text: comments, order, quotes, line ends and the body stay
 * byte for byte. Shorthands are written out, so that the file says what the agent holds. What is written is read again,
 * and given out only if it holds exactly what was asked for.
 *
 * @since 0.1.0
 */
import { Either, Schema } from "effect"
import * as Floor from "../../gate/floor/Floor.js"
import * as Grant from "../../grant/Grant.js"
import { trimmedAll } from "../../grant/Trim.js"
import * as Authority from "../../lattice/Authority.js"
import { splitSpecs } from "../../text/Spec.js"
import type * as AgentRecord from "../AgentRecord.js"
import { dissolvedIn, removable, settledAll, writtenOut } from "./dissolve.js"
import type { Fate } from "./lines.js"
import { type Gone, type Lost as LostLine, lostIn } from "./lost.js"
import { narrowed } from "./narrowed.js"
import { codes, type Edit, given, givenBy, type Opened, open, type Refused, refuse } from "./open.js"
import { revocation } from "./revocation.js"
import { isListed, Settling } from "./settling.js"
import type { Plan } from "./text.js"
import { write } from "./write.js"

/**
 * A line of the record that an edit takes out though nobody asked for that: as it was written, and why it goes.
 *
 * @since 0.1.0
 * @category models
 */
export interface Lost extends LostLine {}

/**
 * `changed` is false where the record said so already; then its text is what it was. `dissolved` are the shorthands that
 * are written out now. `lost` is what goes with them: entries that lie outside of the sandbox that is written out, and
 * comments.
 *
 * @since 0.1.0
 * @category models
 */
export interface Edited {
  readonly text: string
  readonly changed: boolean
  /** The record as it is read from the text. */
  readonly record: AgentRecord.AgentRecord
  readonly dissolved: ReadonlyArray<"access" | "sandbox" | "default">
  readonly lost: ReadonlyArray<Lost>
}

/**
 * Why nothing was changed. The message is one sentence with its remedy.
 *
 * @since 0.1.0
 * @category errors
 */
export class EditRefused extends Schema.TaggedError<EditRefused>("bailiwick/EditRefused")("EditRefused", {
  code: Schema.Literal(...codes),
  detail: Schema.String,
  remedy: Schema.String
}) {
  /** @since 0.1.0 */
  override get message(): string {
    return `${this.code}: ${this.detail}; ${this.remedy}`
  }
}

type Done = Either.Either<Edited, EditRefused>

const done = (edit: Edit<Edited>): Done =>
  Either.mapLeft(edit, (refused: Refused) => new EditRefused(refused))

const unchanged = ({ record, source }: Opened): Edited => ({
  text: source.text,
  changed: false,
  record,
  dissolved: [],
  lost: []
})

const written = (
  opened: Opened,
  plan: Plan,
  gone: ReadonlyArray<Gone>,
  expected: Authority.Authority
): Edit<Edited> =>
  Either.map(write(opened, plan, expected), (made) => ({
    ...made,
    changed: true,
    dissolved: dissolvedIn(opened),
    lost: lostIn(opened, gone, made.text)
  }))

/** Something that is no list says something that nobody can read, and an edit would lose it. */
const hasList = ({ source, text }: Opened): Edit<void> => {
  const { capabilities = null } = text.frontMatter
  return capabilities === null || typeof capabilities === "string" || Array.isArray(capabilities)
    ? Either.void
    : refuse(
        "EDIT_IMPOSSIBLE",
        `'capabilities' of ${source.file}:${text.yamlLine("capabilities") ?? 1} is not a list`,
        "write a list; [] is none"
      )
}

/** The list as it will be: entries that stay, the shorthands written out, and what is new. */
const widened = (opened: Opened, fresh: ReadonlyArray<Grant.Grant>): Edit<Edited> =>
  Either.flatMap(hasList(opened), () => {
    const settling = new Settling(opened)
    for (const entry of opened.entries) if (isListed(entry)) settling.add(entry, [entry.grant])
    const { fates, gone, listed } = settling
    const added = settledAll(opened, [...writtenOut(opened, opened.entries, listed), ...fresh])
    const expected = Authority.join(opened.record.authority, givenBy(opened.compile, fresh))
    return written(opened, { fates, added, removed: removable(opened) }, gone, expected)
  })

/** What of the grants the record does not give yet, each with the root that it has there. */
const fresh = (
  { bound, places, record }: Opened,
  grants: ReadonlyArray<Grant.Grant>
): Edit<ReadonlyArray<Grant.Grant>> =>
  Either.gen(function* () {
    const made: Array<Grant.Grant> = []
    const mentioned = new Set(record.mentioned)
    let held = record.authority
    const lifted = new Set(record.held.flatMap((one) => Floor.liftedBy(Grant.authority([one.compiled]))))
    for (const grant of grants) {
      const compiled = yield* Either.mapLeft(
        Grant.compile(grant, { ...places, bound: bound.root }),
        ({ detail, remedy }): Refused => ({ code: "GRANT_INVALID", detail, remedy })
      )
      const { capability, effective, inert, narrowed } = compiled
      // Written without the sandbox that keeps it out, it would be let in.
      if (inert?.reason === "outside the root") {
        return yield* refuse("GRANT_INVALID", inert.detail, inert.remedy)
      }
      const authority = Grant.authority([compiled])
      const lifts = Floor.liftedBy(authority).some((path) => !lifted.has(path))
      if (mentioned.has(capability) && Authority.within(authority, held) && !lifts) continue
      mentioned.add(capability)
      held = Authority.join(held, authority)
      made.push(narrowed === undefined ? grant : effective)
    }
    return made
  })

/**
 * Adds grants. The record then gives exactly what it gave and what they give in it.
 *
 * @since 0.1.0
 * @category editing
 */
export const grant = (
  source: AgentRecord.Text,
  grants: ReadonlyArray<Grant.Grant>,
  places: AgentRecord.Places
): Done =>
  done(
    Either.flatMap(open(source, places), (opened) =>
      Either.flatMap(fresh(opened, grants), (made) =>
        made.length === 0 ? Either.right(unchanged(opened)) : widened(opened, made)
      )
    )
  )

/**
 * Writes shorthands out. The record then gives exactly what it gave.
 *
 * @since 0.1.0
 * @category editing
 */
export const dissolve = (source: AgentRecord.Text, places: AgentRecord.Places): Done =>
  done(
    Either.flatMap(open(source, places), (opened) =>
      removable(opened).size === 0 ? Either.right(unchanged(opened)) : widened(opened, [])
    )
  )

/**
 * Takes a grant away: all that lies in its scope, or the verb altogether when it is bare. What cannot be told apart from
 * what is to stay is refused.
 *
 * @since 0.1.0
 * @category editing
 */
export const revoke = (source: AgentRecord.Text, grant: Grant.Grant, places: AgentRecord.Places): Done =>
  done(
    Either.gen(function* () {
      const opened = yield* open(source, places)
      const authority = yield* revocation(opened, grant)
      const { fates, gone, listed, short, touched } = yield* narrowed(opened, grant, authority)
      if (!touched) return unchanged(opened)
      yield* hasList(opened)
      const added = settledAll(opened, writtenOut(opened, short, listed))
      const expected = givenBy(opened.compile, [...listed, ...short.map((entry) => entry.grant)])
      const edited = yield* written(opened, { fates, added, removed: removable(opened) }, gone, expected)
      const after = edited.record.authority
      return Authority.isNothing(Authority.meet(after, authority)) &&
        Authority.within(after, opened.record.authority)
        ? edited
        : yield* refuse(
            "STILL_ALLOWED",
            `something of '${Grant.print(grant)}' would be left`,
            "edit the file by hand"
          )
    })
  )

/**
 * A grant of the record, and what stands in its place; the same one where it stays, and none where it goes.
 *
 * @since 0.1.0
 * @category models
 */
export interface Trimming {
  readonly grant: Grant.Grant
  readonly line: number
  readonly stays: ReadonlyArray<Grant.Grant>
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Trimmed extends Edited {
  readonly grants: ReadonlyArray<Trimming>
}

/** With the root that it has. */
const effective = ({ compile }: Opened, grant: Grant.Grant): Grant.Grant =>
  Either.match(compile(grant), { onLeft: () => grant, onRight: (compiled) => compiled.effective })

/**
 * Cuts every grant down to what an authority needs of it. The record then gives all of that authority that it gave, and
 * nothing that it did not give.
 *
 * @since 0.1.0
 * @category editing
 */
export const trim = (
  source: AgentRecord.Text,
  to: Authority.Authority,
  places: AgentRecord.Places
): Either.Either<Trimmed, EditRefused> =>
  Either.mapLeft(
    Either.gen(function* () {
      const opened = yield* open(source, places)
      const { compile, entries, record } = opened
      const all = entries.map(({ grant }) => grant)
      const trimmed = trimmedAll(all, to, compile)
      const grants = entries.map(({ grant, line }, at) => ({
        grant: effective(opened, grant),
        line,
        stays: (trimmed[at] ?? []).map((one) => effective(opened, one))
      }))
      if (entries.every(({ grant }, at) => trimmed[at]?.[0] === grant))
        return { ...unchanged(opened), grants }
      yield* hasList(opened)
      const settling = new Settling(opened)
      const short = entries.flatMap((entry, at) => {
        const stays = trimmed[at] ?? []
        if (!isListed(entry)) return stays.map((grant) => ({ ...entry, grant }))
        settling.add(entry, stays)
        return []
      })
      const { fates, gone, listed } = settling
      const added = settledAll(opened, writtenOut(opened, short, listed))
      const expected = givenBy(compile, [...listed, ...short.map((entry) => entry.grant)])
      const edited = yield* written(opened, { fates, added, removed: removable(opened) }, gone, expected)
      const after = edited.record.authority
      return Authority.within(after, record.authority) &&
        Authority.within(Authority.meet(record.authority, to), after)
        ? { ...edited, grants }
        : yield* refuse(
            "EDIT_IMPOSSIBLE",
            "what is needed cannot be written as grants",
            "edit the file by hand"
          )
    }),
    (refused: Refused) => new EditRefused(refused)
  )

const itemsIn = ({ text }: Opened): number => {
  const { capabilities } = text.frontMatter
  if (typeof capabilities === "string") return splitSpecs(capabilities).length
  return Array.isArray(capabilities) ? capabilities.length : 0
}

/** The entries that make room and are not given by what takes their place, be it that nobody can read them. */
const replaced = (
  opened: Opened,
  fates: ReadonlyArray<Fate>,
  after: Authority.Authority
): ReadonlyArray<Gone> => {
  const { entries, file } = opened
  const listed = entries.filter(isListed)
  const lines = new Map([...listed, ...file.misspelt].map(({ item, line }) => [item, line]))
  const grants = new Map(listed.map(({ grant, item }) => [item, grant]))
  const isGiven = (item: number): boolean => {
    const grant = grants.get(item)
    const own = grant === undefined ? Authority.nothing : given(opened, grant)
    return !Authority.isNothing(own) && Authority.within(own, after)
  }
  return fates.flatMap((fate, item) =>
    fate === "keep" || isGiven(item)
      ? []
      : [
          {
            item,
            line: lines.get(item) ?? file.line,
            why: "it is none of the grants that take its place",
            grant: grants.get(item)
          }
        ]
  )
}

/**
 * Makes these the grants of the record, and nothing else: no shorthand, no default.
 *
 * @since 0.1.0
 * @category editing
 */
export const replace = (
  source: AgentRecord.Text,
  grants: ReadonlyArray<Grant.Grant>,
  places: AgentRecord.Places
): Done =>
  done(
    Either.gen(function* () {
      const opened = yield* open(source, places)
      const { bound, entries, record } = opened
      const compiled = yield* Either.mapLeft(
        Either.all(grants.map((one) => Grant.compile(one, { ...places, bound: bound.common }))),
        ({ detail, remedy }): Refused => ({ code: "GRANT_INVALID", detail, remedy })
      )
      const wanted = new Map(grants.map((one) => [Grant.keyOf(one), one]))
      const fates = Array.from({ length: itemsIn(opened) }, (): Fate => [])
      for (const { grant: one, item } of entries) {
        if (item !== undefined && wanted.delete(Grant.keyOf(one))) fates[item] = "keep"
      }
      const dissolved = (["access", "sandbox"] as const).filter((key) => record.written[key])
      const isSo = dissolved.length === 0 && wanted.size === 0 && fates.every((fate) => fate === "keep")
      if (isSo && record.written.capabilities) return unchanged(opened)
      const plan = { fates, added: [...wanted.values()], removed: new Set<string>(dissolved) }
      const expected = Grant.authority(compiled)
      const gone = replaced(opened, fates, expected)
      return { ...(yield* written(opened, plan, gone, expected)), dissolved }
    })
  )
