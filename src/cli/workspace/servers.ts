/** The MCP servers that `bailiwick.yaml` names, and what each requires. A mistake in one is kept, and told by the doctor. */
import { Either } from "effect"
import * as Grant from "../../policy/grant/Grant.js"
import type { Reading } from "../../policy/text/Problem.js"
import { problem, type Yaml } from "../../policy/text/StrictYaml.js"
import type * as Doctor from "../../registry/doctor/Doctor.js"

type Required = Doctor.Server["requires"][number]

const requiresOf = (value: Yaml): ReadonlyArray<Required> => {
  if (value._tag === "List") {
    return value.items.map((item) => ({ line: item.at.line, grant: Grant.fromYaml(item) }))
  }
  return [
    {
      line: value.at.line,
      grant: Either.left({
        code: "GRANT_MALFORMED" as const,
        detail: "'requires' is not a list of grants",
        remedy: "write a list; [] is none"
      })
    }
  ]
}

const entryOf = (server: Yaml, key: string): Yaml | undefined =>
  server._tag === "Mapping" ? server.entries.get(key)?.value : undefined

const serverOf = (file: string, name: string, line: number, server: Yaml): Doctor.Server => {
  const requires = entryOf(server, "requires")
  return { name, file, line, requires: requires === undefined ? [] : requiresOf(requires) }
}

const nameIn = (server: Yaml, at: number): string => {
  const name = entryOf(server, "name")
  return name?._tag === "Scalar" && typeof name.value === "string" ? name.value : String(at + 1)
}

/** By name in a mapping; in a list each has its name inside. */
export const serversIn =
  (file: string) =>
  (value: Yaml, what: string): Reading<ReadonlyArray<Doctor.Server>> => {
    switch (value._tag) {
      case "Mapping":
        return Either.right(
          Array.from(value.entries, ([name, server]) => serverOf(file, name, server.at.line, server.value))
        )
      case "List":
        return Either.right(
          value.items.map((server, at) => serverOf(file, nameIn(server, at), server.at.line, server))
        )
      case "Scalar":
        return problem(
          "VALUE_INVALID",
          value.at,
          `${what} is neither a list nor a mapping`,
          "write one, or delete the key"
        )
    }
  }
