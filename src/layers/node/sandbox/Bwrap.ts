/**
 * A checked command inside of bubblewrap: namespaces of its own, the mounts of its plan and nothing else, a filter of system
 * calls, and limits. This module writes the arguments; whoever starts the command starts what it answers with.
 *
 * @since 0.1.0
 */
import { readFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import type { Plan } from "../../../policy/confinement/Plan.js"
import { type ChildLimits, prlimitArguments } from "./ChildLimits.js"
import { Descriptors } from "./descriptors.js"
import { USER } from "./etc.js"
import { Inside } from "./Inside.js"
import { type Mounted, mounted } from "./mounts.js"
import { Lent, shared } from "./nameless.js"
import { MARK, NAMESPACES, PROC } from "./namespaces.js"
import { program, type Scratch, scratch } from "./scratch.js"
import { bytesFor, isKnown } from "./seccomp/SeccompFilter.js"
import { isSystem, systemArguments } from "./system.js"

export {
  /**
   * @since 0.1.0
   * @category errors
   */
  Changed
} from "./descriptors.js"

export {
  /**
   * For those who start children: what all children are given a part of stays for as long as one of them does.
   *
   * @since 0.1.0
   * @category resources
   */
  lasting
} from "./scratch.js"

/**
 * The programs that hold children, by their absolute paths.
 *
 * @since 0.1.0
 * @category models
 */
export interface Programs {
  readonly bwrap: string
  readonly prlimit: string
}

/**
 * A file of `/etc`, by its path in there.
 *
 * @since 0.1.0
 * @category models
 */
export interface Setting {
  readonly path: string
  readonly text: string
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Command {
  readonly plan: Plan
  /** Where the file that is executed was found: its name may say what it is to do. */
  readonly found: string
  /** All words, with the name that it was called by first. */
  readonly argv: ReadonlyArray<string>
  readonly env: Readonly<Record<string, string>>
  readonly limits: ChildLimits
  /** Files of its `/etc` that are not as every child has them. They are there: only their contents are other ones. */
  readonly settings?: ReadonlyArray<Setting> | undefined
  /** Whether a group of processes counts its memory. */
  readonly isGrouped?: boolean | undefined
  /** Whether somebody has something to do between the birth of the child and its command. */
  readonly waits: boolean
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Wrapped {
  readonly file: string
  readonly args: ReadonlyArray<string>
  readonly env: Readonly<Record<string, string>>
  /** What stands in its table from 3 on. */
  readonly descriptors: ReadonlyArray<number | "pipe">
  readonly inside: Inside
  /** Where the child is told of, and what holds it: their places among the descriptors of the process. */
  readonly gate:
    | { readonly info: number; readonly block: number; readonly tell: (text: string) => void }
    | undefined
  /** Closes what the child has by now. */
  readonly started: () => void
  /** To be called once it has ended. */
  readonly ended: () => void
}

/** As the system cuts the name of a program. */
const LONGEST_NAME = 15

/** As many as bwrap takes. */
const MOST_ARGUMENTS = 8900

/**
 * Says that a plan has more parts than can be carried out.
 *
 * @since 0.1.0
 * @category errors
 */
export class TooMany extends Error {}

/**
 * The authorities that children trust, as their `/etc` has them.
 *
 * @since 0.1.0
 * @category models
 */
export const bundle = (): Setting => {
  const { authorities: path, etc } = scratch()
  return { path, text: readFileSync(join(etc, path), "utf8") }
}

let common: { readonly scratch: Scratch; readonly args: ReadonlyArray<string> } | undefined

/** What all children have in common is worked out once. */
const commonOf = (made: Scratch): ReadonlyArray<string> => {
  if (common?.scratch !== made) {
    common = { scratch: made, args: [...NAMESPACES, ...systemArguments(), ...PROC] }
  }
  return common.args
}

const filter = shared(isKnown(process.arch) ? bytesFor(process.arch) : new Uint8Array())

/** The operator's, as far as the child can see it, and where its own command is. */
const visible = (path: string, { binary, isSeen }: Mounted): ReadonlyArray<string> =>
  path.split(":").filter((entry) => isSeen(entry) || entry === dirname(binary))

/**
 * The word that the command is executed by, which is also its first. A name stays one where only its own file can be found by
 * it: whatever is looked through before that is the system's.
 */
const wordOf = (name: string, binary: string, entries: ReadonlyArray<string>): string => {
  const at = entries.indexOf(dirname(binary))
  return basename(binary) === name && at >= 0 && entries.slice(0, at).every(isSystem) ? name : binary
}

let started = 0

/**
 * Throws `Changed` if something is no longer as the plan has it, `TooMany` if the plan is too long.
 *
 * @since 0.1.0
 * @category constructors
 */
export const wrap = (programs: Programs, command: Command): Wrapped => {
  const given = new Descriptors()
  const lent: Array<Lent> = []
  const lend = (bytes?: Uint8Array): Lent => {
    const file = new Lent(bytes)
    lent.push(file)
    return file
  }
  try {
    return wrapped(programs, command, given, lend, () => {
      for (const file of lent.splice(0)) file.giveBack()
    })
  } catch (error) {
    given.close()
    for (const file of lent) file.giveBack()
    throw error
  }
}

const wrapped = (
  { bwrap, prlimit }: Programs,
  { argv, env, found, isGrouped = false, limits, plan, settings = [], waits }: Command,
  given: Descriptors,
  lend: (bytes?: Uint8Array) => Lent,
  ended: () => void
): Wrapped => {
  const made = scratch()
  const info = waits ? undefined : lend()
  const infoAt = given.give(info === undefined ? "pipe" : info.toWrite())
  const blockAt = waits ? given.give("pipe") : undefined
  const seen = mounted(plan, found, given, made)
  const options = [
    ...commonOf(made),
    ...["--ro-bind", made.etc, "/etc"],
    ...settings.flatMap(({ path, text }) => [
      "--ro-bind-data",
      given.give(lend(Buffer.from(text)).toRead()),
      `/etc/${path}`
    ]),
    ...["--size", String(limits.tmpBytes), "--perms", "1777", "--tmpfs", "/tmp"],
    ...seen.args,
    ...["--remount-ro", "/", "--chdir", plan.cwd],
    ...["--seccomp", given.give(filter()), "--json-status-fd", infoAt],
    ...(blockAt === undefined ? [] : ["--block-fd", blockAt])
  ]
  if (options.length > MOST_ARGUMENTS) throw new TooMany()
  // By a descriptor: nobody reads them in a table of processes, and there may be many.
  const listed = given.give(lend(Buffer.from(options.map((option) => `${option}\0`).join(""))).toRead())
  const entries = visible(env.PATH ?? "", seen)
  const [name = "", ...args] = argv
  const mark = `${program}.${++started};`
  let told = ""
  return {
    file: bwrap,
    args: [
      "--args",
      listed,
      "--",
      prlimit,
      ...prlimitArguments(limits, isGrouped),
      "--",
      wordOf(name, seen.binary, entries),
      ...args
    ],
    env: {
      HOME: USER.home,
      TMPDIR: USER.home,
      ...env,
      PATH: entries.join(":"),
      [MARK]: mark
    },
    descriptors: given.given,
    inside: new Inside(
      mark,
      () => (info === undefined ? told : info.text),
      basename(bwrap).slice(0, LONGEST_NAME)
    ),
    gate:
      blockAt === undefined
        ? undefined
        : {
            info: Number(infoAt),
            block: Number(blockAt),
            tell: (text) => {
              told += text
            }
          },
    started: () => given.close(),
    ended
  }
}
