/** What servers require and may ask for, compared with what the lock says they did. The lattice decides, and no text is compared. */
import * as Grant from "../../policy/grant/Grant.js"
import * as Authority from "../../policy/lattice/Authority.js"
import * as Inquiry from "../../policy/server/Inquiry.js"
import { requirement, requiring } from "../../policy/server/ServerNotation.js"
import type { Kind, LockedServer, Manifest, ServerChange } from "./Model.js"

/** Nobody knows where the workspace will be, nor whose home: places that no list names, and that are within none but `/`. */
const somePlaces = (...all: ReadonlyArray<LockedServer>) => {
  const text = JSON.stringify(all)
  let name = "~"
  while (text.includes(`/${name}`)) name += "~"
  return { root: `/${name}/workspace`, home: `/${name}/home` }
}

type Places = ReturnType<typeof somePlaces>

/** What cannot be read is required as everything, and was as nothing. */
const asking = (specs: ReadonlyArray<string>, places: Places): Authority.Authority =>
  requiring(specs, places) ?? Authority.everything

const holding = (specs: ReadonlyArray<string>, places: Places): Authority.Authority =>
  requiring(specs, places) ?? Authority.nothing

/** The entries of which the others do not cover all. */
const beyond = (wide: LockedServer, held: LockedServer, places: Places): ReadonlyArray<string> => {
  const covered = holding(held.requires, places)
  return wide.requires.filter((spec) => !Authority.within(asking([spec], places), covered))
}

const without = (
  all: ReadonlyArray<Inquiry.Kind> = [],
  others: ReadonlyArray<Inquiry.Kind> = []
): ReadonlyArray<Inquiry.Kind> => all.filter((kind) => !others.includes(kind))

const changeOf = (
  server: string,
  was: LockedServer | undefined,
  now: LockedServer
): ServerChange | undefined => {
  const [added, removed] = [without(now.allows, was?.allows), without(was?.allows, now.allows)]
  const asks = added.length + removed.length === 0 ? {} : { allows: { added, removed } }
  if (was === undefined) {
    return { server, kind: "added", passes: false, more: now.requires, less: [], ...asks }
  }
  const places = somePlaces(was, now)
  const wider = !Authority.within(asking(now.requires, places), holding(was.requires, places))
  const [more, less] = [beyond(now, was, places), beyond(was, now, places)]
  const isSame = more.length === 0 && less.length === 0 && !wider && asks.allows === undefined
  if (isSame) return undefined
  const kind: Kind = wider || added.length > 0 ? "widened" : "narrowed"
  return { server, kind, passes: kind === "narrowed", more, less, ...asks }
}

export const serverChanges = (locked: Manifest, now: Manifest): ReadonlyArray<ServerChange> => {
  const [was, is] = [locked.servers ?? new Map<string, LockedServer>(), now.servers ?? new Map()]
  return [
    ...[...is].flatMap(([name, server]) => changeOf(name, was.get(name), server) ?? []),
    ...[...was].flatMap(
      ([name]): ReadonlyArray<ServerChange> =>
        is.has(name) ? [] : [{ server: name, kind: "removed", passes: true, more: [], less: [] }]
    )
  ].sort((a, b) => (a.server < b.server ? -1 : 1))
}

/** A grant, and what it means. */
export const specInWords = (spec: string): string => {
  const { entry } = requirement(spec, somePlaces())
  return entry === undefined ? spec : `${spec} (${Grant.risk(entry)}: ${Grant.describe(entry)})`
}

/** What a server may ask for, and what that means. */
export const inquiryInWords = (kind: Inquiry.Kind): string =>
  `${kind} (${Inquiry.risk(kind)}: ${Inquiry.describe(kind)})`
