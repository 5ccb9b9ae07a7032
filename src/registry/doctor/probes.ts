/** Authorities to measure others by: what a check asks of the lattice, which alone compares scopes. */
import { Either } from "effect"
import * as Authority from "../../policy/lattice/Authority.js"
import { path } from "../../policy/lattice/dimensions/Path.js"
import { facets } from "../../policy/lattice/Facets.js"
import * as Glob from "../../policy/lattice/Glob.js"
import { ScopeSet } from "../../policy/lattice/ScopeSet.js"
import type { Workspace } from "./Model.js"

const { agents, files, network, process } = Authority.everything.scopes

/** A place that authority is read from: as what is written, and as where commands run. */
export interface Place {
  readonly what: string
  readonly files: ScopeSet
  readonly exec: ScopeSet
  readonly eval: ScopeSet
}

const overlap = (a: ScopeSet, b: ScopeSet): boolean => !a.isEmpty && !a.meet(b).isEmpty

export const writesIn = (
  { scopes: { files: held } }: Authority.Authority,
  { files: place }: Place
): boolean => overlap(held.write, place) || overlap(held.delete, place)

export const runsIn = ({ scopes: { process: held } }: Authority.Authority, place: Place): boolean =>
  overlap(held.exec, place.exec) || overlap(held.eval, place.eval)

const trees = (paths: ReadonlyArray<string>): ReadonlyArray<Glob.Glob> =>
  paths.flatMap((text) =>
    Either.match(path.element(text), {
      // What cannot be named cannot be granted either.
      onLeft: () => [],
      onRight: (segments) => [Glob.tree(segments)]
    })
  )

export const placesOf = ({ real, records, root }: Workspace): ReadonlyArray<Place> => {
  const place = (what: string, at: string): Place => {
    const globs = trees([...new Set([at, real?.(at) ?? at])])
    const rooted = globs.map((glob) => ({ in: [glob] }))
    return {
      what,
      files: ScopeSet.make(
        facets.files.write,
        globs.map((glob) => ({ path: [glob] }))
      ),
      exec: ScopeSet.make(facets.process.exec, rooted),
      eval: ScopeSet.make(facets.process.eval, rooted)
    }
  }
  return [
    place(`the records directory ${records.directory}`, records.directory),
    place("bailiwick.yaml", `${root}/bailiwick.yaml`),
    place("the personalities", `${root}/personalities`)
  ]
}

/** Whether any command is allowed, in whatever directories. */
export const anyCommand = ({ scopes }: Authority.Authority): boolean =>
  scopes.process.exec.freeOf("in").includes(process.exec)

export const anyHost = ({ scopes }: Authority.Authority): boolean =>
  Object.values(scopes.network).some((hosts) => hosts.includes(network.get))

/** Whether what is held may be passed on to any agent. */
export const anyAgent = ({ scopes }: Authority.Authority): boolean =>
  scopes.agents.grant.includes(agents.grant)

/** What is wide open by itself, in words. */
export const anything: ReadonlyArray<{
  readonly what: string
  readonly isOpen: (authority: Authority.Authority) => boolean
}> = [
  { what: "every host", isOpen: anyHost },
  { what: "every file to read", isOpen: ({ scopes }) => scopes.files.read.includes(files.read) },
  { what: "every file to write", isOpen: ({ scopes }) => scopes.files.write.includes(files.write) },
  { what: "every command", isOpen: anyCommand }
]
