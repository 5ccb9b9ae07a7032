/** For whom something is suggested: an agent with its record, or a personality with its file. */
import { Either } from "effect"
import type * as Asked from "../../../audit/Asked.js"
import type { Options } from "../../../audit/suggest/Basis.js"
import type { Evidence, Subject as Named } from "../../../audit/suggest/Evidence.js"
import * as ForAgent from "../../../audit/suggest/ForAgent.js"
import * as ForPersonality from "../../../audit/suggest/ForPersonality.js"
import type { Suggestion } from "../../../audit/suggest/Suggestion.js"
import * as AgentRecord from "../../../policy/agent/AgentRecord.js"
import type * as Grant from "../../../policy/grant/Grant.js"
import type { Policy } from "../../../policy/Policy.js"
import * as Personality from "../../../policy/personality/Personality.js"
import { CliError } from "../../CliError.js"
import { isFile, realPath } from "../../read.js"
import { agentPlaces, agentPolicy, openAgent } from "../../workspace/LoadAgent.js"
import { openPersonality, type Setting } from "../../workspace/LoadPersonality.js"
import { replaceRecord } from "../../workspace/ReplaceRecord.js"
import { writeFile } from "../../workspace/WriteFile.js"
import { besides } from "../agents/Besides.js"
import { asHeld } from "../agents/ShownGrants.js"
import type { Log } from "../audit/Log.js"

export interface Made {
  readonly suggestion: Suggestion
  /** What else changes in the file. */
  readonly besides: ReadonlyArray<string>
}

export interface Subject {
  readonly kind: "agent" | "personality"
  readonly id: string
  readonly file: string
  readonly named: Named
  readonly policy: Policy
  /** Throws a `CliError` where nothing can be written. */
  readonly suggest: (evidence: Evidence, options: Options) => Made
  /** The policy as it would be. */
  readonly after: (text: string) => Policy
  /** Whether a grant would give anything here. */
  readonly gives: (grant: Grant.Grant | undefined) => boolean
  /** Throws a `CliError`; then nothing is changed. */
  readonly write: (after: string, signal: AbortSignal) => Promise<void>
}

const orThrow = <A>(made: Either.Either<A, string>): A =>
  Either.getOrThrowWith(made, (reason) => new CliError(reason, 1))

/** Throws a `CliError`. */
export const agentSubject = (given: string, setting: Setting): Subject => {
  const { record, source } = openAgent(given, setting)
  const [places, policy] = [agentPlaces(setting), agentPolicy(record, setting)]
  return {
    kind: "agent",
    id: record.id,
    file: record.file,
    named: { agent: record.id },
    policy,
    suggest: (evidence, options) => {
      const made = ForAgent.suggestFor(source, places, policy, evidence, options)
      const { edit, ...suggestion } = orThrow(Either.mapLeft(made, ({ message }) => message))
      return { suggestion, besides: besides(edit) }
    },
    after: (text) => agentPolicy(AgentRecord.parse({ ...source, text }, places), setting),
    gives: (grant) => grant !== undefined && asHeld(record, grant, places).inert === undefined,
    write: (after, signal) => replaceRecord(source, after, setting, signal)
  }
}

/** Throws a `CliError`. */
export const personalitySubject = (given: string, setting: Setting): Subject => {
  const { places, sources } = openPersonality(given, setting)
  const read = orThrow(Either.mapLeft(Personality.parse(sources, places), ({ message }) => message))
  const policy = Personality.policy(read)
  const { file, text } = sources.config
  return {
    kind: "personality",
    id: read.id,
    file,
    named: { personality: read.id },
    policy,
    suggest: (evidence, options) => ({
      suggestion: orThrow(ForPersonality.suggestFor(sources, places, policy, evidence, options)),
      besides: []
    }),
    after: (after) => {
      const made = Personality.parse({ ...sources, config: { ...sources.config, text: after } }, places)
      return Personality.policy(orThrow(Either.mapLeft(made, ({ message }) => message)))
    },
    gives: () => true,
    write: async (after) => writeFile(file, text, after)
  }
}

/**
 * What the paths of a log are on this machine. Of one that may be of others nobody knows what was a file there; links are
 * taken as they are here, for what they lead to only adds to what was used.
 */
export const placesOf = ({ from }: Log): Asked.Places => {
  const known = new Map<string, string>()
  return {
    isFile: "directory" in from ? isFile : undefined,
    real: (path) => {
      const found = known.get(path) ?? realPath(path)
      known.set(path, found)
      return found
    }
  }
}
