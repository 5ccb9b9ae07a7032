/**
 * What is left of a grant when something is taken from it. There is no way to write "all but": an element of its lists
 * goes as a whole or stays as a whole, and what would have to be cut in two is refused.
 */
import { Either } from "effect"
import * as Grant from "../../grant/Grant.js"
import { atomsOf, grantOf, regrouped } from "../../grant/Parts.js"
import { quote } from "../../text/Quote.js"
import { type Edit, type Opened, refuse } from "./open.js"
import { includes, overlapping, type Scopes, scopesOf } from "./overlap.js"

const cannot = (grant: Grant.Grant, line: number, revoked: Grant.Grant): Edit<never> => {
  const held = Grant.print(grant)
  return refuse(
    "STILL_ALLOWED",
    `${quote(held)} in line ${line} allows more than ${quote(Grant.print(revoked))}, and a grant cannot leave something out`,
    `revoke '${held}' and grant what is to stay`
  )
}

/** A grant, and what of it is to go. */
export interface Touched {
  readonly grant: Grant.Grant
  readonly line: number
  readonly compiled: Grant.Compiled
  readonly goes: Scopes
}

/** What stays of a grant of which something goes. */
export const without = (
  { compile }: Opened,
  { compiled, goes, grant, line }: Touched,
  revoked: Grant.Grant
): Edit<ReadonlyArray<Grant.Grant>> => {
  if (includes(goes, scopesOf([compiled]))) return Either.right([])
  const atoms = atomsOf(grant)
  if (atoms === undefined) return cannot(grant, line, revoked)
  const parts = atoms.flatMap((atom) =>
    Either.match(compile(grantOf(grant, atom)), {
      onLeft: () => [],
      onRight: (made) => [{ atom, compiled: made }]
    })
  )
  const touched = overlapping(parts, goes)
  if (touched.some(({ item, overlap }) => !includes(overlap, scopesOf([item.compiled])))) {
    return cannot(grant, line, revoked)
  }
  const gone = new Set(touched.map(({ item }) => item))
  return Either.right(
    regrouped(
      grant,
      parts.filter((part) => !gone.has(part)).map(({ atom }) => atom)
    )
  )
}
