/** Grants that give nothing: why, and what to write so that they do. */

import { quote } from "../text/Quote.js"
import { printSpec } from "../text/Spec.js"
import * as Catalog from "./Catalog.js"
import type { Piece } from "./compile.js"
import type { Root } from "./Roots.js"
import type { Written } from "./scope.js"

export interface Inert {
  readonly reason: "no root" | "outside the root" | "no host" | "nothing in its scope"
  readonly detail: string
  readonly remedy: string
}

type Grant = Pick<Written, "name" | "scope">

const example = ({ name, scope }: Grant): string => {
  const { in: _, ...rest } = scope
  return printSpec({ name, pairs: Object.entries({ in: "~/project", ...rest }) })
}

const rootless = (grant: Grant, bound: Root | undefined): Inert => ({
  reason: "no root",
  detail:
    bound === undefined
      ? `'${grant.name}' has no root: neither the grant, nor the agent, nor the workspace has one`
      : `'${grant.name}' has no root: the sandbox above it cannot be read`,
  remedy:
    bound === undefined
      ? `write '${example(grant)}', or 'sandbox:' in the record or in bailiwick.yaml`
      : "write a directory after 'sandbox:', as in '~/project'"
})

const outside = (grant: Grant, bound: Root): Inert => ({
  reason: "outside the root",
  detail:
    grant.scope.paths === undefined
      ? `'in' of '${grant.name}' is ${quote(grant.scope.in ?? "")}, outside of ${quote(bound.written)}; a root can only narrow`
      : `'in' of '${grant.name}' is ${quote(grant.scope.in ?? "")}, not in ${quote(bound.written)}; a root can only narrow, and its paths are relative to it`,
  remedy: `write a directory below ${bound.written}`
})

/** Why a grant gives nothing, if it does. `isOutside`: its own root lies outside of the one that bounds it. */
export const inertness = (
  grant: Grant,
  { alternatives, hosts }: Piece,
  isOutside: boolean,
  bound: Root | undefined
): Inert | undefined => {
  if (isOutside && bound !== undefined) {
    return bound.nowhere === true ? rootless(grant, bound) : outside(grant, bound)
  }
  if (alternatives.length > 0 || hosts.length > 0) return undefined
  if (grant.name.startsWith("net.")) {
    return {
      reason: "no host",
      detail: `'${grant.name}' names no host`,
      remedy: `write '${grant.name}{hosts=[api.example.com]}', or "*" for any host`
    }
  }
  const isRootless = grant.scope.in === undefined && (bound === undefined || bound.nowhere === true)
  if (Catalog.find(grant.name)?.needsRoot === true && isRootless) return rootless(grant, bound)
  return {
    reason: "nothing in its scope",
    detail: `the scope of '${grant.name}' is an empty list`,
    remedy: "write what it is for, or leave the key out"
  }
}
