/** What is to be taken away, wherever the record gives it from: a bare verb is all of it, and a root is not cut down. */
import { Either } from "effect"
import * as Authority from "../Authority.js"
import * as Catalog from "../Catalog.js"
import { type Capability, capabilities } from "../Facets.js"
import * as Grant from "../Grant.js"
import { HostSet } from "../HostSet.js"
import { ScopeSet } from "../ScopeSet.js"
import { type Edit, type Opened, refuse } from "./agentEditOpen.js"

const allOf = (capability: Capability): Authority.Authority => {
  const spec = capabilities.find(({ name }) => name === capability)?.spec ?? []
  return Authority.fromSets(
    new Map([[capability, spec === "hosts" ? HostSet.all : ScopeSet.make(spec, [{}])]])
  )
}

export const isBare = ({ name, scope }: Grant.Grant): boolean =>
  Object.keys(scope).length === 0 && !name.startsWith(Catalog.PROVIDER)

const rooted = ({ bound }: Opened, grant: Grant.Grant): Edit<Grant.Grant> => {
  const { name, scope } = grant
  if (scope.in !== undefined || Catalog.find(name)?.needsRoot !== true) return Either.right(grant)
  if (scope.paths === undefined) return Either.right({ ...grant, scope: { in: "/", ...scope } })
  const { root } = bound
  return root === undefined || root.nowhere === true
    ? refuse(
        "GRANT_INVALID",
        `the paths of '${Grant.print(grant)}' are relative, and the agent has no root`,
        `write '${Grant.print({ name, scope: { in: "/the/directory", ...scope } })}'`
      )
    : Either.right({ ...grant, scope: { in: root.written, ...scope } })
}

export const revocation = (opened: Opened, grant: Grant.Grant): Edit<Authority.Authority> => {
  const entry = Catalog.find(grant.name)
  if (entry !== undefined && isBare(grant)) return Either.right(allOf(entry.capability))
  const { home, real } = opened.places
  return Either.flatMap(rooted(opened, grant), (asked) =>
    Either.mapBoth(Grant.compile(asked, { home, real }), {
      onLeft: ({ detail, remedy }) => ({ code: "GRANT_INVALID" as const, detail, remedy }),
      onRight: (compiled) => Grant.authority([compiled])
    })
  )
}
