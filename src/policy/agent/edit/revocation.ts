/** What is to be taken away, wherever the record gives it from: a bare verb is all of it, and a root is not cut down. */
import { Either } from "effect"
import * as Catalog from "../../grant/Catalog.js"
import * as Grant from "../../grant/Grant.js"
import * as Authority from "../../lattice/Authority.js"
import { type Capability, capabilities } from "../../lattice/Facets.js"
import { HostSet } from "../../lattice/HostSet.js"
import { ScopeSet } from "../../lattice/ScopeSet.js"
import { type Edit, type Opened, refuse } from "./open.js"

const allOf = (capability: Capability): Authority.Authority => {
  const spec = capabilities.find(({ name }) => name === capability)?.spec ?? []
  return Authority.fromSets(
    new Map([[capability, spec === "hosts" ? HostSet.all : ScopeSet.make(spec, [{}])]])
  )
}

export const isBare = ({ name, scope }: Grant.Grant): boolean =>
  Object.keys(scope).length === 0 && !name.startsWith(Catalog.PROVIDER)

/** The roots that the record has for a verb by now. */
const rootsOf = ({ compile, entries }: Opened, name: string): ReadonlyArray<string> => [
  ...new Set(
    entries
      .filter(({ grant }) => grant.name === name)
      .flatMap(({ grant }) =>
        Either.match(compile(grant), {
          onLeft: () => [],
          onRight: ({ effective, inert }) => (inert === undefined ? [effective.scope.in ?? []].flat() : [])
        })
      )
  )
]

/** Without a root it is meant in each: a command wherever it runs, a path below every root of its verb. */
const rooted = (opened: Opened, grant: Grant.Grant): ReadonlyArray<Grant.Grant> => {
  const { name, scope } = grant
  if (scope.in !== undefined || Catalog.find(name)?.needsRoot !== true) return [grant]
  const roots = scope.paths === undefined ? ["/"] : rootsOf(opened, name)
  return roots.map((root) => ({ ...grant, scope: { in: root, ...scope } }))
}

export const revocation = (opened: Opened, grant: Grant.Grant): Edit<Authority.Authority> => {
  const entry = Catalog.find(grant.name)
  if (entry !== undefined && isBare(grant)) return Either.right(allOf(entry.capability))
  const { home, real } = opened.places
  const compiled = rooted(opened, grant).map((one) => Grant.compile(one, { home, real }))
  const sound = compiled.flatMap((one) => (Either.isRight(one) ? [one.right] : []))
  const [wrong] = compiled.flatMap((one) => (Either.isLeft(one) ? [one.left] : []))
  // An absolute path lies in one root and not in another; one that lies in none is a mistake.
  return sound.length === 0 && wrong !== undefined
    ? refuse("GRANT_INVALID", wrong.detail, wrong.remedy)
    : Either.right(Grant.authority(sound))
}
