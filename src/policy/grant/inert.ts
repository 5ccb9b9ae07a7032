/** Grants that give nothing: why, and what to write so that they do. */

import { quote } from "../text/Quote.js"
import { printSpec } from "../text/Spec.js"
import * as Catalog from "./Catalog.js"
import type { Piece } from "./compile.js"
import type { Root } from "./Roots.js"
import type { Written } from "./scope.js"

export interface Inert {
  readonly reason:
    | "no root"
    | "outside the root"
    | "no host"
    | "no ref"
    | "no scope"
    | "no kind"
    | "nothing in its scope"
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

/** What a grant of what lies outside must name, and what to write there. */
const unnamed: ReadonlyArray<{
  readonly of: RegExp
  readonly reason: Inert["reason"]
  readonly scope: string
  readonly every: string
}> = [
  { of: /^net\./, reason: "no host", scope: "{hosts=[api.example.com]}", every: "any host" },
  { of: /^secrets\./, reason: "no ref", scope: "{refs=[API_KEY]}", every: "every secret" },
  { of: /^storage\./, reason: "no scope", scope: "{scopes=[session]}", every: "every scope" },
  { of: /^attachments\./, reason: "no kind", scope: "{kinds=[image]}", every: "every kind" }
]

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
  const nameless = unnamed.find(({ of }) => of.test(grant.name))
  if (nameless !== undefined) {
    const { every, reason, scope } = nameless
    return {
      reason,
      detail: `'${grant.name}' names ${reason}`,
      remedy: `write '${grant.name}${scope}', or "*" for ${every}`
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
