/**
 * Records as resources. They are read by the built-in tools `list_records` and `get_record`, called in the turn as a
 * client would call them: the same policy is asked, and the same events are written.
 */
import { Effect } from "effect"
import { getOrSet } from "../../policy/Memo.js"
import { compose } from "../../policy/record/RecordText.js"
import type { Turn } from "../../registry/Turn.js"
import { getRecord } from "../../tools/builtin/GetRecord.js"
import { listRecords } from "../../tools/builtin/ListRecords.js"
import type * as Tool from "../../tools/Tool.js"
import { own } from "../protocol/ReadMessage.js"
import type { Serving } from "./Options.js"
import { type Page, pageOf } from "./pages.js"
import { type Problem, problem, said } from "./problem.js"

/** A request on behalf of a client: what is served at the moment, and the id of the call in the transcript. */
export interface Asked<R> {
  readonly serving: Serving<R>
  readonly params: unknown
  readonly call: string
  readonly pageSize: number
}

const SCHEME = "record:///"
const MIME = "text/markdown"

const template = {
  uriTemplate: `${SCHEME}{+id}`,
  name: "record",
  title: "A record, by its id",
  mimeType: MIME
}

const uriOf = (id: string): string | undefined => {
  try {
    return SCHEME + id.split("/").map(encodeURIComponent).join("/")
  } catch {
    return undefined
  }
}

const idOf = (uri: unknown): string | undefined => {
  if (typeof uri !== "string" || !uri.startsWith(SCHEME)) return undefined
  try {
    return uri.slice(SCHEME.length).split("/").map(decodeURIComponent).join("/")
  } catch {
    return undefined
  }
}

/** Whether records can be served at all: the tools that read them are ours, and not others of their names. */
export const hasRecords = <R>({ registry }: Serving<R>): boolean => {
  const { tools } = registry
  return tools.get(listRecords.name) === listRecords && tools.get(getRecord.name) === getRecord
}

/** As much as a resource may have: whoever reads it is a program, which a budget for models would mislead. */
const BUDGET = 16_000_000

const widened = new WeakMap<Turn, Turn>()

/** The same turn, with the same policy and transcript, whose results are not cut to what a model reads. */
const reading = (turn: Turn): Turn =>
  getOrSet(widened, turn, () => Object.freeze({ ...turn, budget: Math.max(BUDGET, turn.budget) }))

const run = <R>({ call, serving: { registry, turn } }: Asked<R>, tool: Tool.Any, args: object) =>
  Effect.map(registry.execute(reading(turn), [{ id: call, name: tool.name, args }]), ([{ result }]) => result)

interface Listed {
  readonly uri: string
  readonly name: string
}

const listed = (record: unknown): ReadonlyArray<Listed> => {
  const id = own(record, "id")
  const uri = typeof id === "string" ? uriOf(id) : undefined
  if (uri === undefined) return []
  const title = own(record, "title")
  const kind = own(record, "class")
  return [
    {
      uri,
      name: id as string,
      ...(typeof title === "string" ? { title } : {}),
      mimeType: MIME,
      ...(typeof kind === "string" ? { _meta: { "bailiwick/class": kind } } : {})
    } as Listed
  ]
}

/** Who is not offered the tools has no records, and is not told off for asking. */
const isOffered = <R>(serving: Serving<R>): Effect.Effect<boolean, never, R> =>
  hasRecords(serving)
    ? Effect.map(serving.registry.menu(serving.turn), (menu) => {
        const names = menu.map(({ name }) => name)
        return names.includes(listRecords.name) && names.includes(getRecord.name)
      })
    : Effect.succeed(false)

export const listTemplates = <R>({ serving }: Asked<R>): Effect.Effect<object, never, R> =>
  Effect.map(isOffered(serving), (offered) => ({ resourceTemplates: offered ? [template] : [] }))

export const listResources = <R>(asked: Asked<R>): Effect.Effect<Page<Listed>, Problem, R> =>
  Effect.gen(function* () {
    const { pageSize, params, serving } = asked
    const none = pageOf([], uriIn, params, pageSize)
    if (!(yield* isOffered(serving))) return yield* none
    const result = yield* run(asked, listRecords, {})
    // It is offered where one of two policies speaks of records; what the other refuses is not there.
    if (!result.ok && result.denial !== undefined) return yield* none
    if (!result.ok) return yield* Effect.fail(problem("internal", `${result.code}: ${result.error}`))
    const records = own(result.value, "records")
    const all = Array.isArray(records) ? records.flatMap(listed) : []
    return yield* pageOf(all, uriIn, params, pageSize)
  })

const uriIn = ({ uri }: Listed): string => uri

const textIn = (entry: unknown): string | undefined => {
  const body = own(entry, "body")
  const frontMatter = own(entry, "frontMatter")
  if (typeof body !== "string") return undefined
  return compose((frontMatter ?? {}) as Readonly<Record<string, unknown>>, body)
}

export const readResource = <R>(asked: Asked<R>): Effect.Effect<object, Problem, R> => {
  const uri = own(asked.params, "uri")
  if (typeof uri !== "string") return Effect.fail(problem("invalidParams", "params.uri must be a text"))
  const id = hasRecords(asked.serving) ? idOf(uri) : undefined
  if (id === undefined)
    return Effect.fail(problem("noSuchResource", `there is no resource ${said(uri)}`, { uri }))
  return Effect.flatMap(run(asked, getRecord, { id }), (result) => {
    if (!result.ok) {
      const { code, denial, error } = result
      const data = {
        uri,
        "bailiwick/code": code,
        ...(denial === undefined ? {} : { "bailiwick/denial": denial })
      }
      return Effect.fail(problem("noSuchResource", error, data))
    }
    const text = textIn(result.value)
    return text === undefined
      ? Effect.fail(problem("internal", "the record cannot be shown"))
      : Effect.succeed({
          contents: [
            {
              uri,
              mimeType: MIME,
              text,
              _meta: {
                "bailiwick/untrusted": true,
                "bailiwick/revision": own(result.value, "revision"),
                ...(result.truncated === true ? { "bailiwick/truncated": true } : {})
              }
            }
          ]
        })
  })
}
