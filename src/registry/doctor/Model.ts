/**
 * What a doctor looks at and what it finds, as data.
 *
 * @since 0.1.0
 */
import type { Either } from "effect"
import type { ToolUse } from "../../audit/suggest/ToolUse.js"
import type { ProcessBackend } from "../../capabilities/process/ProcessBackend.js"
import type { AgentRecord, Warning } from "../../policy/agent/AgentRecord.js"
import type { Grant, GrantInvalid } from "../../policy/grant/Grant.js"
import type { Personality, PersonalityInvalid } from "../../policy/personality/Personality.js"
import type { ProviderTool } from "../../policy/provider/ProviderTool.js"
import type * as Sandbox from "../../policy/Sandbox.js"
import type { Kind as Inquiry } from "../../policy/server/Inquiry.js"
import type { Problem, Skill } from "../../policy/skill/Skill.js"
import type { Registry } from "../Registry.js"

/**
 * A failure is what cannot work as it is; a warning is what works, and perhaps not as it was meant.
 *
 * @since 0.1.0
 * @category models
 */
export type Severity = "failure" | "warning"

/**
 * What is looked at, in the order in which it is told.
 *
 * @since 0.1.0
 * @category models
 */
export const checks = [
  "records",
  "grants",
  "inert grants",
  "moot grants",
  "escalation",
  "floor",
  "providers",
  "mcp servers",
  "skills",
  "personalities",
  "wide open",
  "toolsets",
  "tools",
  "declarations",
  "secrets",
  "storage",
  "sandbox"
] as const

/**
 * @since 0.1.0
 * @category models
 */
export type CheckName = (typeof checks)[number]

/**
 * The codes of the doctor's own, by check. What the readers of records and personalities found wrong comes with theirs.
 *
 * @since 0.1.0
 * @category models
 */
export const findingCodes = [
  "RECORDS_MISSING",
  "ID_AMBIGUOUS",
  "FILE_UNREADABLE",
  "LINK_IGNORED",
  "NOT_AN_AGENT",
  "GRANT_INERT",
  "SANDBOX_EMPTY",
  "KEY_EMPTY",
  "GRANT_MOOT",
  "COMMANDS_UNRESTRICTED",
  "WRITES_AUTHORITY",
  "RUNS_OVER_AUTHORITY",
  "COMMAND_OPEN",
  "HOSTS_OF_ANYBODY",
  "GRANTS_TO_ANYBODY",
  "FLOOR_CLOSED",
  "FLOOR_LIFTED",
  "PROVIDER_OPENS_NOTHING",
  "COMMAND_NOT_FOUND",
  "HOST_NOT_REQUIRED",
  "WRITES_UNSEEN",
  "SERVER_NOT_ACCEPTED",
  "SERVER_MAY_ASK",
  "SKILL_SHADOWED",
  "WIDE_OPEN",
  "ALLOWS_EVERYTHING",
  "TOOL_UNKNOWN",
  "TOOL_LEFT_NOTHING",
  "TOOL_OFFERED_TO_NOBODY",
  "TOOLS_NOT_LOADED",
  "DECLARATION_UNUSED",
  "SECRET_MISSING",
  "SECRETS_FAILED",
  "SANDBOX_MISSING",
  "SANDBOX_UNUSABLE",
  "SANDBOX_UNSUPPORTED",
  "CHILDREN_NOT_HELD",
  "SWEEP_DUE",
  "STORAGE_UNREACHABLE",
  "STORAGE_NOT_READY"
] as const

/**
 * @since 0.1.0
 * @category models
 */
export type FindingCode =
  | (typeof findingCodes)[number]
  | Warning["code"]
  | PersonalityInvalid["code"]
  | Problem["code"]

/**
 * One thing that is wrong: whose it is, where it is written, and what to write instead.
 *
 * @since 0.1.0
 * @category models
 */
export interface Finding {
  readonly severity: Severity
  readonly check: CheckName
  /** An agent's id, a personality, a tool, `workspace` or `platform`. */
  readonly subject: string
  readonly code: FindingCode
  readonly file?: string | undefined
  readonly line?: number | undefined
  readonly detail: string
  readonly remedy: string
}

/**
 * A check that found nothing, and what it looked at.
 *
 * @since 0.1.0
 * @category models
 */
export interface Passed {
  readonly check: CheckName
  readonly detail: string
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Report {
  /** Failures first, then by file and line. */
  readonly findings: ReadonlyArray<Finding>
  readonly passed: ReadonlyArray<Passed>
}

/**
 * A file that could not be read at all, or not as what it should be.
 *
 * @since 0.1.0
 * @category models
 */
export interface Unreadable {
  readonly subject: string
  readonly file: string
  readonly line?: number | undefined
  readonly code: FindingCode
  readonly detail: string
  readonly remedy: string
}

/**
 * A workspace, and the directory of its records. `real` gives the real path of one that may be a link.
 *
 * @since 0.1.0
 * @category models
 */
export interface Workspace {
  readonly root: string
  readonly records: {
    readonly directory: string
    readonly isThere: boolean
    /** Every record, be it of an agent or not. */
    readonly files: ReadonlyArray<{ readonly id: string; readonly file: string }>
    readonly unreadable: ReadonlyArray<Unreadable>
    /** Links that stand where a record or a directory of records would, and are not followed. */
    readonly links?: ReadonlyArray<{ readonly id: string; readonly file: string }> | undefined
  }
  readonly skills?: Skills | undefined
  /** Modules of the team's own tools that cannot be used. */
  readonly unloaded?: ReadonlyArray<Unreadable> | undefined
  /** It names tools of its own, and nothing is installed yet that could load them. */
  readonly uninstalled?: boolean | undefined
  readonly servers?: ReadonlyArray<Server> | undefined
  readonly real?: ((path: string) => string) | undefined
}

/**
 * The skills of a workspace, and what among them is not taken.
 *
 * @since 0.1.0
 * @category models
 */
export interface Skills {
  readonly all: ReadonlyArray<Skill>
  readonly ignored: ReadonlyArray<Unreadable>
}

/**
 * An MCP server as the workspace names it, and the grants that it requires, each as it was read.
 *
 * @since 0.1.0
 * @category models
 */
export interface Server {
  readonly name: string
  readonly file: string
  /** Where it is named. */
  readonly line?: number | undefined
  readonly requires: ReadonlyArray<{
    readonly line: number
    readonly grant: Either.Either<Grant, Pick<GrantInvalid, "code" | "detail" | "remedy">>
  }>
  /** What else is wrong with how it is written, so that it is offered to nobody. */
  readonly problems?: ReadonlyArray<Pick<Finding, "code" | "line" | "detail" | "remedy">> | undefined
  /** Its address, if it has one; without it, it is started here. */
  readonly url?: string | undefined
  /** What it may ask of whoever uses it. */
  readonly allows?: ReadonlyArray<Inquiry> | undefined
  /** The secrets that it is given. */
  readonly refs?: ReadonlyArray<string> | undefined
  /** The command that starts it, where there is none of that name. */
  readonly missingCommand?: string | undefined
  /** How many of its tools the lock has; without it, the lock is not looked at. */
  readonly pinned?: number | undefined
}

/**
 * A personality as it was read, or why it cannot be.
 *
 * @since 0.1.0
 * @category models
 */
export interface PersonalityFile {
  readonly name: string
  readonly file: string
  /** Where its toolset stands in a file of its own. */
  readonly toolset?: string | undefined
  readonly read: Either.Either<Personality, PersonalityInvalid | Unreadable>
}

/**
 * The machine: `process.platform`, and what its process layer says of holding children, where that was asked.
 *
 * @since 0.1.0
 * @category models
 */
export interface Platform {
  readonly platform: string
  readonly holding?: ProcessBackend.Holding | undefined
}

/**
 * What an audit log says of tools, as far as it was looked at.
 *
 * @since 0.1.0
 * @category models
 */
export interface Audited {
  /** From when on: ISO 8601 in UTC. */
  readonly since: string
  /** How many entries were read, and whether there are more. */
  readonly entries: number
  readonly isCut: boolean
  readonly tools: ReadonlyMap<string, ToolUse>
}

/**
 * Where state is kept: that it is there as it should be, or what is wrong.
 *
 * @since 0.1.0
 * @category models
 */
export type Stored =
  | { readonly where: string }
  | {
      readonly where: string
      readonly code: "STORAGE_UNREACHABLE" | "STORAGE_NOT_READY"
      readonly detail: string
    }

/**
 * @since 0.1.0
 * @category models
 */
export interface Input {
  readonly agents: ReadonlyArray<AgentRecord>
  readonly personalities: ReadonlyArray<PersonalityFile>
  readonly tools: Registry
  /** The tools that come along, whether somebody needs them or not. */
  readonly bundled?: ReadonlySet<string> | undefined
  readonly workspace?: Workspace | undefined
  /** Whether, and how, the workspace has children held; a personality may ask for more. */
  readonly sandbox?: Sandbox.Given | undefined
  readonly platform: Platform
  /**
   * What programs that were killed left to be cleared up after their children: `due` is cleared up before the next command,
   * `foreign` by its own user, of `unknown` nobody can tell what the child could write, and `unusable` keeps commands from
   * starting.
   */
  readonly leftovers?:
    | ReadonlyArray<{ readonly file: string; readonly kind: "due" | "foreign" | "unknown" | "unusable" }>
    | undefined
  /** Whether a backend has a secret; without it, secrets are not looked at. */
  readonly hasSecret?: ((ref: string) => boolean) | undefined
  /** Why a backend of secrets could not be asked, if it could not. */
  readonly secretsTrouble?: string | undefined
  /** What became of asking where state is kept, where that is not a directory. */
  readonly storage?: Stored | undefined
  readonly home?: string | undefined
  /** What tools were seen to use; without it, that is not looked at. */
  readonly audit?: Audited | undefined
  /** The tools of providers that requests may carry; without it, those that come along. */
  readonly providerTools?: ReadonlyArray<ProviderTool> | undefined
}
