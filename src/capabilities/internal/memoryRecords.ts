/** Records in memory, for `Records.mock`. */
import { Effect } from "effect"
import type { RecordDraft, Records, RecordsError } from "../Records.js"

const linksIn = (body: string): ReadonlyArray<string> => [
  ...new Set([...body.matchAll(/\[\[([^\]|]+)(?:\|[^\]]*)?\]\]/g)].map((match) => (match[1] ?? "").trim()))
]

const summaryOf = ({ id, class: kind, frontMatter }: Records.Entry): Records.Summary => ({
  id,
  ...(kind === undefined ? {} : { class: kind }),
  ...(typeof frontMatter.title === "string" ? { title: frontMatter.title } : {})
})

const hasTag = ({ frontMatter }: Records.Entry, tag: string) =>
  Array.isArray(frontMatter.tags) && frontMatter.tags.includes(tag)

export const memoryRecords = (
  drafts: ReadonlyArray<typeof RecordDraft.Type>,
  fail: (code: RecordsError["code"], detail: string) => RecordsError
): Records.Operations => {
  const entries = new Map<string, Records.Entry>()
  const write = ({ id, class: kind, frontMatter = {}, body = "" }: typeof RecordDraft.Type) => {
    const entry: Records.Entry = {
      id,
      ...(kind === undefined ? {} : { class: kind }),
      frontMatter,
      body,
      revision: String(Number(entries.get(id)?.revision ?? 0) + 1)
    }
    entries.set(id, entry)
    return entry
  }
  for (const draft of drafts) write(draft)

  const find = (id: string) =>
    Effect.suspend(() => {
      const entry = entries.get(id)
      return entry === undefined
        ? fail("RECORD_NOT_FOUND", `there is no record ${id}`)
        : Effect.succeed(entry)
    })
  const all = (kind: string | undefined) =>
    [...entries.values()].filter((entry) => kind === undefined || entry.class === kind)

  return {
    get: ({ id }) => find(id),
    search: ({ query, class: kind, limit }) =>
      Effect.sync(() => {
        const words = query.toLowerCase().split(/\s+/)
        const found = all(kind).filter((entry) => {
          const text = `${entry.id} ${JSON.stringify(entry.frontMatter)} ${entry.body}`.toLowerCase()
          return words.every((word) => text.includes(word))
        })
        return found.slice(0, limit).map(summaryOf)
      }),
    list: ({ class: kind, tag }) =>
      Effect.sync(() =>
        all(kind)
          .filter((entry) => tag === undefined || hasTag(entry, tag))
          .map(summaryOf)
      ),
    links: ({ id }) => Effect.map(find(id), ({ body }) => linksIn(body)),
    backlinks: ({ id }) =>
      Effect.map(find(id), () =>
        all(undefined).flatMap((entry) => (linksIn(entry.body).includes(id) ? [entry.id] : []))
      ),
    create: (draft) =>
      Effect.suspend(() =>
        entries.has(draft.id)
          ? fail("RECORD_EXISTS", `there is already a record ${draft.id}`)
          : Effect.succeed(write(draft))
      ),
    update: ({ id, revision, ...change }) =>
      Effect.flatMap(find(id), (entry) =>
        revision === undefined || revision === entry.revision
          ? Effect.sync(() => write({ ...entry, ...change }))
          : fail("RECORD_CHANGED", `${id} is at revision ${entry.revision} by now`)
      ),
    delete: ({ id }) =>
      Effect.map(find(id), () => {
        entries.delete(id)
      })
  }
}
