/** The methods that a client may call once it has initialised, and what each answers with. */
import { Effect } from "effect"
import { isObject, own } from "../protocol/ReadMessage.js"
import { calledResult } from "./calls.js"
import { listedTool } from "./menu.js"
import { pageOf } from "./pages.js"
import { type Problem, problem } from "./problem.js"
import { getPrompt, listPrompts } from "./prompts.js"
import { type Asked, listResources, listTemplates, readResource } from "./resources.js"

export type Method = <R>(asked: Asked<R>) => Effect.Effect<object, Problem, R>

const listTools: Method = ({ pageSize, params, serving: { registry, turn } }) =>
  Effect.flatMap(registry.menu(turn), (menu) =>
    Effect.map(
      pageOf(menu, ({ name }) => name, params, pageSize),
      ({ items, ...more }) => {
        const { origins, tools } = registry
        const listed = items.map((item) =>
          listedTool(item, tools.get(item.name), turn, origins.get(item.name))
        )
        return { tools: listed, ...more }
      }
    )
  )

const callTool: Method = ({ call, params, serving: { registry, turn } }) => {
  const name = own(params, "name")
  const args = own(params, "arguments") ?? {}
  if (typeof name !== "string") return Effect.fail(problem("invalidParams", "params.name must be a text"))
  if (!isObject(args)) return Effect.fail(problem("invalidParams", "params.arguments must be an object"))
  return Effect.map(registry.execute(turn, [{ id: call, name, args }]), ([{ result }]) =>
    calledResult(registry.tools.get(name), result, turn)
  )
}

export const methods: ReadonlyMap<string, Method> = new Map<string, Method>([
  ["tools/call", callTool],
  ["tools/list", listTools],
  [
    "resources/list",
    (asked) => Effect.map(listResources(asked), ({ items, ...more }) => ({ resources: items, ...more }))
  ],
  ["resources/templates/list", (asked) => listTemplates(asked)],
  ["resources/read", (asked) => readResource(asked)],
  [
    "prompts/list",
    (asked) => Effect.map(listPrompts(asked), ({ items, ...more }) => ({ prompts: items, ...more }))
  ],
  ["prompts/get", (asked) => getPrompt(asked)]
])
