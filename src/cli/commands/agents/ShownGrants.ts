/** Grants for a reader: what is at stake, what each allows in words, and why one gives nothing. */
import { Either } from "effect"
import type * as AgentRecord from "../../../policy/agent/AgentRecord.js"
import * as Catalog from "../../../policy/grant/Catalog.js"
import * as Grant from "../../../policy/grant/Grant.js"
import { rootOf } from "../../../policy/grant/Roots.js"
import type { Row, Tone } from "../../report/Table.js"

const tones: Readonly<Record<Catalog.Risk, Tone>> = { low: "green", medium: "yellow", high: "red" }

export const toneOf = (risk: Catalog.Risk): Tone => tones[risk]

/** What a grant is in an agent's hands, or will be. */
export interface Shown {
  readonly grant: Grant.Grant
  readonly inert: Grant.Inert | undefined
  readonly note?: string | undefined
}

export interface ShownJson {
  readonly grant: string
  readonly risk: Catalog.Risk
  readonly effect: string
  readonly inert: Grant.Inert | null
}

const inertJson = ({ detail, reason, remedy }: Grant.Inert): Grant.Inert => ({ reason, detail, remedy })

export const shownJson = ({ grant, inert }: Shown): ShownJson => ({
  grant: Grant.print(grant),
  risk: Grant.risk(grant),
  effect: Grant.describe(grant),
  inert: inert === undefined ? null : inertJson(inert)
})

const inertLines = ({ detail, remedy }: Grant.Inert): ReadonlyArray<string> => [
  `inert: ${detail}`,
  `fix: ${remedy}`
]

export const shownRow = ({ grant, inert, note }: Shown, ...more: ReadonlyArray<string>): Row => {
  const risk = Grant.risk(grant)
  return {
    mark: inert === undefined ? undefined : "warning",
    label: risk,
    tone: toneOf(risk),
    title: Grant.print(grant),
    detail: [
      ...(inert === undefined ? [Grant.describe(grant)] : inertLines(inert)),
      ...(note === undefined ? [] : [note]),
      ...more
    ]
  }
}

/** The root that no grant of a record reaches beyond. */
const boundOf = ({ root }: AgentRecord.AgentRecord, places: AgentRecord.Places) =>
  root === undefined ? undefined : Either.getOrUndefined(rootOf(root, places))

/** A grant as a record holds it: with the root that it has there, and whether it gives something. */
export const asHeld = (
  record: AgentRecord.AgentRecord,
  grant: Grant.Grant,
  places: AgentRecord.Places
): Shown => {
  const compiled = Grant.compile(grant, { ...places, bound: boundOf(record, places) })
  if (Either.isLeft(compiled)) return { grant, inert: undefined }
  const { effective, inert, narrowed } = compiled.right
  return {
    grant: effective,
    inert,
    note:
      narrowed === undefined
        ? undefined
        : `'in' is clamped from ${narrowed.from} to ${narrowed.to}: a root can only narrow`
  }
}

const rank = ({ grant }: Pick<Shown, "grant">): number => Catalog.risks.indexOf(Grant.risk(grant))

const byName = (a: Pick<Shown, "grant">, b: Pick<Shown, "grant">): number =>
  a.grant.name === b.grant.name ? 0 : a.grant.name < b.grant.name ? -1 : 1

/** The consequential first, those of equal risk by name; else as they are written. */
export const byRisk = <A extends Pick<Shown, "grant">>(all: ReadonlyArray<A>): ReadonlyArray<A> =>
  [...all].sort((a, b) => rank(b) - rank(a) || byName(a, b))
