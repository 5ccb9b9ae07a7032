/** The workspace around a directory, and where state is kept. */

import { dirname, join } from "node:path"
import { Either } from "effect"
import { privately } from "../policy/internal/personalityScopes.js"
import { type Problem, sentence } from "../policy/internal/problem.js"
import { problem, readYaml, type Yaml } from "../policy/internal/strictYaml.js"
import * as Shape from "../policy/internal/yamlShape.js"
import { CliError } from "./CliError.js"
import { exists, readText } from "./read.js"
import type { Surroundings } from "./Surroundings.js"

const NAME = "bailiwick.yaml"

const sandboxes = ["off", "preferred", "required"] as const

export interface Workspace {
  readonly root: string
  readonly recordsDir: string | undefined
  readonly skillsDir: string | undefined
  readonly sandbox: (typeof sandboxes)[number] | undefined
  readonly privateHosts: ReadonlyArray<string>
}

const keys = ["records_dir", "sandbox", "mcp_servers", "skills_dir", "private_hosts"]

/** What servers are, is said elsewhere; here they are a list or a mapping. */
const servers = (value: Yaml, what: string): Either.Either<void, Problem> =>
  value._tag === "Scalar"
    ? problem(
        "VALUE_INVALID",
        value.at,
        `${what} is neither a list nor a mapping`,
        "write one, or delete the key"
      )
    : Either.void

const hosts = (value: Yaml, what: string): Either.Either<ReadonlyArray<string>, Problem> =>
  Either.flatMap(Shape.texts(value, what), (all) =>
    Either.all(all.map((given) => Either.map(privately(given), () => given.text)))
  )

const parse = (root: string, text: string): Either.Either<Workspace, Problem> =>
  Either.gen(function* () {
    const value = yield* readYaml(text)
    const start = { line: 1, column: 1 }
    const map = yield* Shape.mapping(
      value ?? { _tag: "Mapping", entries: new Map(), at: start },
      "a workspace",
      keys
    )
    yield* Shape.optional(map, "mcp_servers", servers)
    return {
      root,
      recordsDir: (yield* Shape.optional(map, "records_dir", Shape.text))?.text,
      skillsDir: (yield* Shape.optional(map, "skills_dir", Shape.text))?.text,
      sandbox: yield* Shape.optional(map, "sandbox", (given, what) => Shape.oneOf(given, what, sandboxes)),
      privateHosts: (yield* Shape.optional(map, "private_hosts", hosts)) ?? []
    }
  })

/** The nearest directory upward that holds a `bailiwick.yaml`. Throws a `CliError` when that is not one. */
export const findWorkspace = (from: string): Workspace | undefined => {
  for (let directory = from; ; directory = dirname(directory)) {
    const file = join(directory, NAME)
    if (exists(file)) {
      return Either.getOrThrowWith(
        parse(directory, readText(file)),
        (wrong) => new CliError(sentence(file, wrong))
      )
    }
    if (dirname(directory) === directory) return undefined
  }
}

/** In the workspace, or in the state directory of the user. */
export const stateDirectory = (
  workspace: Workspace | undefined,
  { env, home }: Pick<Surroundings, "env" | "home">
): string => {
  if (workspace !== undefined) return join(workspace.root, ".bailiwick")
  const state = env.XDG_STATE_HOME
  // A relative one is to be ignored.
  if (state?.startsWith("/") === true) return join(state, "bailiwick")
  if (home === undefined) {
    throw new CliError(
      "there is no workspace and no home to keep state in; set XDG_STATE_HOME to a directory"
    )
  }
  return join(home, ".local", "state", "bailiwick")
}
