/** Which lines of others are at the end of a file: the last of each, but for those that another one names. */
import { linkIn, type Place } from "./Link.js"

/** So many are named by a line; what is beyond is covered by the lines that come later, or by nothing but a head. */
const MOST = 64

/** A piece of a file in which every line is whole, but for the first and the last. */
export const headsIn = (piece: Buffer, own: string): ReadonlyArray<Place> => {
  const heads = new Map<string, number>()
  for (const line of piece.toString("latin1").split("\n")) {
    const link = linkIn(line)
    if (link === undefined) continue
    for (const { by, n } of [...(link.after ?? []), ...(link.before ?? [])]) {
      if ((heads.get(by) ?? Number.POSITIVE_INFINITY) <= n) heads.delete(by)
    }
    // The latest last, so that those are named that nobody else may have seen.
    heads.delete(link.by)
    heads.set(link.by, link.n)
  }
  heads.delete(own)
  return [...heads].slice(-MOST).map(([by, n]) => ({ by, n }))
}
