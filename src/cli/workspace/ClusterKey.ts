/** What stands under `cluster` in `bailiwick.yaml`: how a runner of this workspace takes part in a cluster. */
import { Duration, Either } from "effect"
import { SHORTEST } from "../../cluster/Settings.js"
import * as Request from "../../policy/lattice/Request.js"
import type { Reading } from "../../policy/text/Problem.js"
import { problem, type Yaml } from "../../policy/text/StrictYaml.js"
import { count } from "../../policy/text/YamlAmount.js"
import * as Shape from "../../policy/text/YamlShape.js"

export interface ClusterKey {
  /** The refs of the secrets that messages are sealed with: the first is used, the others are still understood. */
  readonly key: string | ReadonlyArray<string>
  /** The ref of the secret that arguments and results are encrypted with in the store. */
  readonly encryption?: string | undefined
  readonly retentionHours?: number | undefined
  readonly silenceSeconds?: number | undefined
  readonly shards?: number | undefined
}

const KEYS = ["key", "encryption", "retention_hours", "silence_seconds", "shards"]

const refIn = (
  given: { readonly text: string; readonly line: number; readonly column: number },
  what: string
) =>
  Either.match(Request.secret(given.text), {
    onLeft: () =>
      problem("VALUE_INVALID", given, `${what} is no name of a secret`, "write one, as in CLUSTER_KEY"),
    onRight: () => Either.right(given.text)
  })

const ref = (value: Yaml, what: string): Reading<string> =>
  Either.flatMap(Shape.text(value, what), (given) => refIn(given, what))

const refs = (value: Yaml, what: string): Reading<string | ReadonlyArray<string>> =>
  value._tag === "Scalar"
    ? ref(value, what)
    : Either.flatMap(Shape.texts(value, what), (all) => Either.all(all.map((one) => refIn(one, what))))

const silence = (value: Yaml, what: string): Reading<number> => {
  const least = Duration.toSeconds(SHORTEST)
  return Either.flatMap(count(value, what), (seconds) =>
    seconds >= least
      ? Either.right(seconds)
      : problem(
          "VALUE_INVALID",
          value.at,
          `${what} is ${seconds}`,
          `write ${least} or more: a runner that is only busy is silent for less`
        )
  )
}

/** `{ key, encryption?, retention_hours?, silence_seconds?, shards? }`. */
export const read = (value: Yaml, what: string): Reading<ClusterKey> =>
  Either.gen(function* () {
    const map = yield* Shape.mapping(value, what, KEYS)
    const key = yield* Shape.optional(map, "key", refs, "cluster.key")
    if (key === undefined || key.length === 0) {
      return yield* problem(
        "KEY_MISSING",
        value.at,
        `${what} has no 'key'`,
        "write the name of a secret of 32 characters or more, as in key: CLUSTER_KEY"
      )
    }
    return {
      key,
      encryption: yield* Shape.optional(map, "encryption", ref, "cluster.encryption"),
      retentionHours: yield* Shape.optional(map, "retention_hours", count, "cluster.retention_hours"),
      silenceSeconds: yield* Shape.optional(map, "silence_seconds", silence, "cluster.silence_seconds"),
      shards: yield* Shape.optional(map, "shards", count, "cluster.shards")
    }
  })
