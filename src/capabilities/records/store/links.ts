/** The records that a record links to: `[[id]]`, `[[id|text]]`, and links to files that are records. */
import { proseOf } from "./prose.js"

const BY_ID = /\[\[([^[\]\n]{1,1000})\]\]/g

/** What stands before `](` may be anything, so it is not looked at. */
const BY_PATH = /\]\([ \t]{0,8}(?:<([^<>\n]{1,2000})>|([^\s()<>]{1,2000}))/g

const SCHEME = /^(?:[a-z][a-z0-9+.-]*:|\/\/)/i

const decoded = (path: string): string | undefined => {
  try {
    return decodeURIComponent(path)
  } catch {
    return undefined
  }
}

/** `undefined` for what leads out, and for what is no record. */
const resolved = (from: ReadonlyArray<string>, destination: string): string | undefined => {
  if (SCHEME.test(destination)) return undefined
  const path = decoded(destination.replace(/[?#].*$/s, ""))
  if (path === undefined || !path.endsWith(".md")) return undefined
  const segments = path.startsWith("/") ? [] : [...from]
  for (const part of path.slice(0, -".md".length).split("/")) {
    if (part === "..") {
      if (segments.pop() === undefined) return undefined
    } else if (part !== "" && part !== ".") segments.push(part)
  }
  return segments.join("/")
}

/** In the order in which they first come, without the record itself. */
export const linksOf = (id: string, body: string): ReadonlyArray<string> => {
  if (!body.includes("[[") && !body.includes("](")) return []
  const prose = proseOf(body)
  const from = id.split("/").slice(0, -1)
  const found = [
    ...[...prose.matchAll(BY_ID)].map(({ 1: text = "", index }) => ({
      index,
      to: text.split(/[|#]/, 1)[0]?.trim()
    })),
    ...[...prose.matchAll(BY_PATH)].map(({ 1: angled, 2: bare = "", index }) => ({
      index,
      to: resolved(from, angled ?? bare)
    }))
  ]
  const ids = found
    .sort((a, b) => a.index - b.index)
    .flatMap(({ to }) => (to === undefined || to === "" ? [] : [to]))
  return [...new Set(ids)].filter((to) => to !== id)
}
