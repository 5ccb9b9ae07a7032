/**
 * How children are started, and what bounds them.
 *
 * @since 0.1.0
 */
import { join } from "node:path"
import { Duration } from "effect"
import { stateDirectory } from "../disk/StateDirectory.js"
import type * as ChildNetwork from "../sandbox/ChildNetwork.js"

/**
 * What holds children. Whether they are held at all is for the policy to say.
 *
 * @since 0.1.0
 * @category models
 */
export interface SandboxOptions {
  /** The absolute path of bwrap, if it is not to be looked for. Only root may be able to write it. */
  readonly bwrap?: string | undefined
  /**
   * A directory of cgroup v2 in which groups of children are made, with `memory` and `pids`: the one that this program
   * runs in or below, if it is left out and may be used. `false` makes none.
   */
  readonly cgroup?: string | false | undefined
  /**
   * Where that goes which a child makes under a name of the floor: `quarantine` in the state directory of the user, if it
   * is left out.
   */
  readonly quarantine?: string | undefined
  /** How children reach the hosts that their tools may reach. */
  readonly network?: ChildNetwork.Options | undefined
  /** @internal */
  readonly platform?: NodeJS.Platform | undefined
  /** @internal */
  readonly seatbelt?: string | undefined
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /** The operator's environment; that of this program when the layer is made, if it is left out. */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined
  /** Where commands are looked for; the operator's `PATH`, if it is left out. Relative entries are ignored. */
  readonly path?: string | undefined
  /** The file that runs scripts, by its absolute path: `/bin/sh`, if it is left out. No `PATH` has a say in it. */
  readonly shell?: string | undefined
  /** `minimal`: a short list of variables. `inherit`: all of the operator's but loader variables. */
  readonly env?: "minimal" | "inherit" | undefined
  /** How much is kept of what a child writes, on each of its two channels. */
  readonly maxOutputBytes?: number | undefined
  /** How long a child may run that is given no `timeoutMillis`. */
  readonly deadline?: Duration.DurationInput | undefined
  /** What `timeoutMillis` is capped at. */
  readonly longestDeadline?: Duration.DurationInput | undefined
  /** How long a child that is told to end may take before it is made to. */
  readonly grace?: Duration.DurationInput | undefined
  /** How many children a tool of a session has at once. */
  readonly childrenPerTool?: number | undefined
  /** How many children there are at once. */
  readonly children?: number | undefined
  /** How many commands wait for others to end before the next is refused. */
  readonly waiting?: number | undefined
  /** How children are held, where they are. */
  readonly sandbox?: SandboxOptions | undefined
}

/**
 * @since 0.1.0
 * @category defaults
 */
export const defaults = {
  shell: "/bin/sh",
  maxOutputBytes: 1024 * 1024,
  deadline: Duration.minutes(2),
  longestDeadline: Duration.minutes(10),
  grace: Duration.millis(250),
  childrenPerTool: 16,
  children: 64,
  waiting: 1024
}

/** @internal */
export const settle = (given: Options) => {
  const environment = { ...(given.environment ?? process.env) }
  const millis = (key: "deadline" | "longestDeadline" | "grace") =>
    Duration.toMillis(given[key] ?? defaults[key])
  const longestMillis = Math.min(millis("longestDeadline"), LONGEST_TIMER)
  return {
    environment,
    path: given.path ?? environment.PATH ?? "",
    shell: given.shell ?? defaults.shell,
    inherit: given.env === "inherit",
    maxOutputBytes: given.maxOutputBytes ?? defaults.maxOutputBytes,
    deadlineMillis: Math.min(millis("deadline"), longestMillis),
    longestMillis,
    graceMillis: millis("grace"),
    slots: {
      perTool: given.childrenPerTool ?? defaults.childrenPerTool,
      total: given.children ?? defaults.children,
      waiting: given.waiting ?? defaults.waiting
    },
    sandbox: {
      ...given.sandbox,
      quarantine: given.sandbox?.quarantine ?? join(stateDirectory(environment), "quarantine")
    }
  }
}

/** A longer timer fires at once. */
const LONGEST_TIMER = 2 ** 31 - 1

/** @internal */
export type Settled = ReturnType<typeof settle>
