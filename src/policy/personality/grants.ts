/** The grants of a personality: records, agents and provider's tools, in the grammar of agent records. */
import { Either } from "effect"
import * as Grant from "../grant/Grant.js"
import type { Problem } from "../text/Problem.js"
import { quote } from "../text/Quote.js"
import { problem, type Yaml } from "../text/StrictYaml.js"
import * as Shape from "../text/YamlShape.js"

export interface Granted {
  readonly line: number
  readonly written: string
  readonly compiled: Grant.Compiled
}

type Read<A> = Either.Either<A, Problem>

/** Where a personality has words of its own for what is granted; one place for one thing. */
const elsewhere = (name: string): string | undefined => {
  if (/^(?:records|agent|provider)\./.test(name)) return undefined
  if (name.startsWith("net.")) return "write the hosts in 'safety.network.allow'"
  if (name === "fs.read") return "write the directories in 'fs_reach.read'"
  if (name.startsWith("fs.")) return "write the directories in 'fs_reach.write'"
  return "write the commands in 'process.allow'"
}

const grant = (item: Yaml): Read<Granted> => {
  const read = Either.flatMap(Grant.fromYaml(item), (given) =>
    Either.map(Grant.compile(given, {}), (compiled) => ({ given, compiled }))
  )
  if (Either.isLeft(read)) {
    const { code, detail, remedy } = read.left
    return problem(code, item.at, detail, remedy)
  }
  const { compiled, given } = read.right
  const remedy = elsewhere(given.name)
  return remedy === undefined
    ? Either.right({ line: item.at.line, written: Grant.print(given), compiled })
    : problem("GRANT_MISPLACED", item.at, `${quote(given.name)} is not granted in a personality`, remedy)
}

export const grants = (value: Yaml, what: string): Read<ReadonlyArray<Granted>> =>
  value._tag === "List" ? Either.all(value.items.map(grant)) : Either.map(Shape.texts(value, what), () => [])
