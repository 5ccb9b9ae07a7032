/** What a request needs before it can be answered: which backends, and that something is served at all. */
import { Context, Effect } from "effect"
import { getRecord } from "../../tools/builtin/GetRecord.js"
import { own } from "../protocol/ReadMessage.js"
import { text } from "./content.js"
import type { Serving, Unserved } from "./Options.js"
import { type Problem, problem } from "./problem.js"

/** The tools that would be offered if every backend were there: only theirs have to be, to see which are. */
const offered = <R>({ registry, turn }: Serving<R>): ReadonlyArray<string> => {
  const plan = registry.plan(turn.policy, turn.home)
  return [...registry.tools]
    .filter(([name, tool]) => plan.offers(name) && plan.lacking(tool).length === 0)
    .map(([name]) => name)
}

const toolsFor = <R>(method: string, params: unknown, serving: Serving<R>): ReadonlyArray<string> => {
  switch (method) {
    case "tools/call": {
      const name = own(params, "name")
      return typeof name === "string" ? [name] : []
    }
    case "tools/list":
    case "resources/list":
    case "resources/templates/list":
      return offered(serving)
    case "resources/read":
      return [getRecord.name]
    default:
      return []
  }
}

/** Answers over the backends that the request needs. */
export const overBackends = <A, E, R>(
  answer: Effect.Effect<A, E, R>,
  serving: Serving<R>,
  method: string,
  params: unknown
): Effect.Effect<A, E | Unserved, R> => {
  const { backends } = serving
  if (backends === undefined) return answer
  const tools = toolsFor(method, params, serving)
  if (tools.length === 0) return answer
  return Effect.flatMap(backends(tools), (found) =>
    Effect.mapInputContext(answer, (given: Context.Context<R>) => joined(given, found))
  )
}

const known = new WeakMap<object, { readonly found: object; readonly joined: Context.Context<never> }>()

/** The very same Context for the same two: the registry knows its sessions by it. */
const joined = <R>(given: Context.Context<R>, found: Context.Context<never>): Context.Context<R> => {
  const before = known.get(given)
  if (before?.found === found) return before.joined as Context.Context<R>
  const made = Context.merge(given, found)
  known.set(given, { found, joined: made as Context.Context<never> })
  return made
}

/** A call is refused as calls are; for the rest the protocol has errors. */
export const withoutServing = (method: string, { message }: Unserved): Effect.Effect<object, Problem> =>
  method === "tools/call"
    ? Effect.succeed({
        isError: true,
        content: [text(`not_available: ${message}`)],
        _meta: { "bailiwick/code": "not_available" }
      })
    : Effect.fail(problem("internal", message))
