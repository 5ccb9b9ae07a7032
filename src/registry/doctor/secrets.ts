/** Secrets that are spoken of and that no backend has. Only their names are looked at. */
import type { Capabilities } from "../../capabilities/Capabilities.js"
import { refsOf as refsOfDeclared } from "../../capabilities/secrets/SecretsDeclaration.js"
import { ref as refDimension } from "../../policy/lattice/dimensions/Ref.js"
import type { Finding, Input } from "./Model.js"
import { type Check, heldBy, personalitiesOf, some } from "./subjects.js"

/** A ref, and who speaks of it. */
interface Spoken extends Pick<Finding, "subject" | "file" | "line"> {
  readonly ref: string
  readonly verb: string
}

/** A folder may hold anything, and nothing. */
const isOne = (ref: unknown): ref is string => typeof ref === "string" && !ref.endsWith("*")

type Speaking = Pick<Input, "personalities" | "tools"> & Partial<Pick<Input, "agents">>

const ofAgents = ({ agents = [] }: Speaking): ReadonlyArray<Spoken> =>
  agents.flatMap((agent) =>
    agent.held.flatMap((held) =>
      (held.grant.scope.refs ?? []).filter(isOne).map((ref) => {
        const { file, line, subject } = heldBy(agent, held)
        return { ref, subject, file, line, verb: "holds" }
      })
    )
  )

const spokenOf = (input: Speaking): ReadonlyArray<Spoken> => [
  ...[...input.tools.tools.values()].flatMap(({ capabilities, name }) => {
    const { secrets = [] }: Capabilities = capabilities
    return refsOfDeclared(secrets)
      .filter(isOne)
      .map((ref) => ({ ref, subject: name, verb: "declares" }))
  }),
  ...personalitiesOf(input).flatMap(({ personality: { id, sources } }) =>
    sources.flatMap(({ authority, file, line }) =>
      authority.scopes.secrets.seal
        .projected(refDimension.name, refDimension)
        .encode()
        .filter(isOne)
        .map((ref) => ({ ref, subject: id, file, line, verb: "allows" }))
    )
  ),
  ...ofAgents(input)
]

/**
 * The refs that `examine` asks `hasSecret` about.
 *
 * @since 0.1.0
 * @category examining
 */
export const refsOf = (input: Speaking & Pick<Input, "workspace">): ReadonlyArray<string> => [
  ...new Set([
    ...spokenOf(input).map(({ ref }) => ref),
    ...(input.workspace?.servers ?? []).flatMap(({ refs = [] }) => refs)
  ])
]

const trouble = ({ secretsTrouble }: Input): ReadonlyArray<Finding> =>
  secretsTrouble === undefined
    ? []
    : [
        {
          severity: "failure",
          check: "secrets",
          subject: "workspace",
          code: "SECRETS_FAILED",
          detail: secretsTrouble,
          remedy: "mend it; until then its secrets are not there"
        }
      ]

const missing = (input: Input): ReadonlyArray<Finding> =>
  spokenOf(input)
    .filter(({ ref }) => input.hasSecret?.(ref) === false)
    .map(({ ref, verb, ...of }) => ({
      severity: "warning",
      check: "secrets",
      ...of,
      code: "SECRET_MISSING",
      detail: `it ${verb} the secret ${ref}, and no backend has it`,
      remedy: "set it in the environment or in .env, or take it out"
    }))

export const secrets: Check = {
  name: "secrets",
  passed: (input) => {
    const { length } = input.hasSecret === undefined ? [] : refsOf({ ...input, workspace: undefined })
    return length === 0 ? undefined : `${some(length, "secret")}, all of them there`
  },
  findings: (input) => [...trouble(input), ...missing(input)]
}
