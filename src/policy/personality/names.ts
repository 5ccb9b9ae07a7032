/** The names in a personality: its own, and those of tools, plugins and MCP servers. */
import { Either } from "effect"
import { isPluginName, isServerName, isToolName } from "../ToolOrigin.js"
import type { At, Reading } from "../text/Problem.js"
import { quote } from "../text/Quote.js"
import { type Mapping, problem, type Yaml } from "../text/StrictYaml.js"
import * as Shape from "../text/YamlShape.js"

/** Names, and where their list stands. */
export interface Names {
  readonly names: ReadonlyArray<string>
  readonly at: At
}

const START: At = { line: 1, column: 1 }

const ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/

/** It names a directory and a namespace, so it is one plain word. */
export const identifier = (root: Mapping): Reading<string> => {
  const entry = root.entries.get("id")
  if (entry === undefined) {
    return problem(
      "KEY_MISSING",
      START,
      "a personality has an 'id', and this has none",
      "add a line 'id: name'"
    )
  }
  return Either.flatMap(Shape.text(entry.value, "'id'"), (given) =>
    ID.test(given.text)
      ? Either.right(given.text)
      : problem(
          "VALUE_INVALID",
          given,
          `the id ${quote(given.text)} is not one plain word`,
          "write 1 to 64 letters, digits, '.', '_' or '-'"
        )
  )
}

/** A name that nothing can have would be dead, and whoever wrote it believes otherwise. */
const named =
  (isName: (text: string) => boolean, kind: string, remedyFor: (text: string) => string) =>
  (value: Yaml, what: string): Reading<Names> =>
    Either.gen(function* () {
      const names = yield* Shape.texts(value, what)
      const odd = names.find(({ text }) => !isName(text))
      if (odd !== undefined) {
        const detail = `${quote(odd.text)} is not the name of ${kind}`
        return yield* problem("NAME_INVALID", odd, detail, remedyFor(odd.text))
      }
      return { names: names.map(({ text }) => text), at: value.at }
    })

export const toolNames = named(isToolName, "a tool", (text) =>
  text === "*"
    ? "leave 'toolset' out for all tools"
    : "write the name alone, as 'bailiwick tools list' shows it"
)

export const pluginNames = named(isPluginName, "a plugin", () => "name each plugin, as it is registered")

export const serverNames = named(
  isServerName,
  "an MCP server",
  () => "name each server: letters, digits, '-' and single '_'"
)
