/** Records in memory, for `Records.mock`. */
import { Effect } from "effect"

interface Draft {
  readonly id: string
  readonly class?: string
  readonly frontMatter?: { readonly [key: string]: unknown }
  readonly body?: string
}

interface Entry extends Draft {
  readonly frontMatter: { readonly [key: string]: unknown }
  readonly body: string
  readonly revision: string
}

interface ById {
  readonly id: string
}

type Code = "RECORD_NOT_FOUND" | "RECORD_EXISTS" | "RECORD_CHANGED"

const linksIn = (body: string): ReadonlyArray<string> => [
  ...new Set([...body.matchAll(/\[\[([^\]|]+)(?:\|[^\]]*)?\]\]/g)].map((match) => (match[1] ?? "").trim()))
]

const summaryOf = ({ id, class: kind, frontMatter }: Entry) => ({
  id,
  ...(kind === undefined ? {} : { class: kind }),
  ...(typeof frontMatter.title === "string" ? { title: frontMatter.title } : {})
})

const hasTag = ({ frontMatter }: Entry, tag: string) =>
  Array.isArray(frontMatter.tags) && frontMatter.tags.includes(tag)

/** `null` removes a key. */
const merged = ({ frontMatter }: Entry, change: Pick<Draft, "frontMatter">) =>
  Object.fromEntries(
    Object.entries({ ...frontMatter, ...change.frontMatter }).filter(([, value]) => value !== null)
  )

export const memoryRecords = <E>(
  drafts: ReadonlyArray<Draft>,
  fail: (code: Code, detail: string) => Effect.Effect<never, E>
) => {
  const entries = new Map<string, Entry>()
  const write = ({ id, class: kind, frontMatter = {}, body = "" }: Draft) => {
    const entry: Entry = {
      id,
      ...(kind === undefined ? {} : { class: kind }),
      frontMatter,
      body,
      revision: String(Number(entries.get(id)?.revision ?? 0) + 1)
    }
    entries.set(id, entry)
    return structuredClone(entry)
  }
  for (const draft of drafts) write(draft)

  const find = (id: string) =>
    Effect.suspend((): Effect.Effect<Entry, E> => {
      const entry = entries.get(id)
      return entry === undefined
        ? fail("RECORD_NOT_FOUND", `there is no record ${id}`)
        : Effect.succeed(structuredClone(entry))
    })
  const all = (kind: string | undefined) =>
    [...entries.values()].filter((entry) => kind === undefined || entry.class === kind)

  return {
    get: ({ id }: ById) => find(id),
    search: ({
      query,
      class: kind,
      limit
    }: {
      readonly query: string
      readonly class?: string
      readonly limit?: number
    }) =>
      Effect.sync(() => {
        const words = query.toLowerCase().split(/\s+/)
        const found = all(kind).filter((entry) => {
          const text = `${entry.id} ${JSON.stringify(entry.frontMatter)} ${entry.body}`.toLowerCase()
          return words.every((word) => text.includes(word))
        })
        return found.slice(0, limit).map(summaryOf)
      }),
    list: ({ class: kind, tag }: { readonly class?: string; readonly tag?: string }) =>
      Effect.sync(() =>
        all(kind)
          .filter((entry) => tag === undefined || hasTag(entry, tag))
          .map(summaryOf)
      ),
    links: ({ id }: ById) => Effect.map(find(id), ({ body }) => linksIn(body)),
    backlinks: ({ id }: ById) =>
      Effect.map(find(id), () =>
        all(undefined).flatMap((entry) => (linksIn(entry.body).includes(id) ? [entry.id] : []))
      ),
    create: (draft: Draft) =>
      Effect.suspend(
        (): Effect.Effect<Entry, E> =>
          entries.has(draft.id)
            ? fail("RECORD_EXISTS", `there is already a record ${draft.id}`)
            : Effect.succeed(write(draft))
      ),
    update: ({ id, revision, ...change }: Omit<Draft, "class"> & { readonly revision?: string }) =>
      Effect.flatMap(
        find(id),
        (entry): Effect.Effect<Entry, E> =>
          revision === undefined || revision === entry.revision
            ? Effect.sync(() => write({ ...entry, ...change, frontMatter: merged(entry, change) }))
            : fail("RECORD_CHANGED", `${id} is at revision ${entry.revision} by now`)
      ),
    delete: ({ id }: ById) =>
      Effect.map(find(id), () => {
        entries.delete(id)
      })
  }
}
