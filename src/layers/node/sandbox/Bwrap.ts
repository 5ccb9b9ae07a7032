/**
 * A checked command inside of bubblewrap: namespaces of its own, the mounts of its plan and nothing else, a filter of system
 * calls, and limits. This module writes the arguments; whoever starts the command starts what it answers with.
 *
 * @since 0.1.0
 */
import type { Plan } from "../../../policy/confinement/Plan.js"
import { type ChildLimits, prlimitArguments } from "./ChildLimits.js"
import { Descriptors } from "./descriptors.js"
import { USER } from "./etc.js"
import { Inside } from "./Inside.js"
import { mounted } from "./mounts.js"
import { Lent, shared } from "./nameless.js"
import { program, type Scratch, scratch } from "./scratch.js"
import { bytesFor, isKnown } from "./seccomp/SeccompFilter.js"
import { systemArguments } from "./system.js"

export {
  /**
   * @since 0.1.0
   * @category errors
   */
  Changed
} from "./descriptors.js"

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
 * @since 0.1.0
 * @category models
 */
export interface Command {
  readonly plan: Plan
  /** Where the file that is executed was found: its name may say what it is to do. */
  readonly found: string
  /** Without the first word. */
  readonly args: ReadonlyArray<string>
  readonly env: Readonly<Record<string, string>>
  readonly limits: ChildLimits
  /** The text of `/etc/hosts`, if it is not to be the one without names. */
  readonly hosts?: string | undefined
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

/** What tells a child of this program from every other process. bwrap keeps it from the command. */
const MARK = "BAILIWICK_HELD"

/** As many as bwrap takes. */
const MOST_ARGUMENTS = 8900

/**
 * Says that a plan has more parts than can be carried out.
 *
 * @since 0.1.0
 * @category errors
 */
export class TooMany extends Error {}

const NAMESPACES = [
  [
    "--unshare-user",
    "--unshare-pid",
    "--unshare-net",
    "--unshare-ipc",
    "--unshare-uts",
    "--unshare-cgroup-try"
  ],
  ["--uid", USER.id, "--gid", USER.id, "--hostname", "sandbox", "--cap-drop", "ALL"],
  // A session of its own: no terminal to type into, and a group that can be told to end.
  ["--die-with-parent", "--new-session", "--unsetenv", MARK]
].flat()

/** bwrap leaves `/proc/sys` open to root, because it looks at the directory and not at the files. */
const PROC = ["--proc", "/proc", "--remount-ro", "/proc"]

let common: { readonly scratch: Scratch; readonly args: ReadonlyArray<string> } | undefined

/** What all children have in common is worked out once. */
const commonOf = (made: Scratch): ReadonlyArray<string> => {
  if (common?.scratch !== made) {
    common = { scratch: made, args: [...NAMESPACES, ...systemArguments(), ...PROC] }
  }
  return common.args
}

const isBelow = (path: string, root: string): boolean => path.startsWith(`${root}/`)

/** One mount. Where something of the real one is mounted into it, its parts are mounted one by one, to leave room. */
const etcArguments = ({ mounts }: Plan, made: Scratch): ReadonlyArray<string> => {
  if (mounts.some(({ path }) => path === "/etc")) return []
  if (!mounts.some(({ path }) => isBelow(path, "/etc"))) return ["--ro-bind", made.etc, "/etc"]
  return made
    .parts()
    .flatMap((name) =>
      mounts.some(({ path }) => path === `/etc/${name}` || isBelow(path, `/etc/${name}`))
        ? []
        : ["--ro-bind", `${made.etc}/${name}`, `/etc/${name}`]
    )
}

const filter = shared(isKnown(process.arch) ? bytesFor(process.arch) : new Uint8Array())

/** The operator's, as far as the child can see it. */
const pathOf = (path: string, isSeen: (path: string) => boolean): string =>
  path.split(":").filter(isSeen).join(":")

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
  { args, env, found, hosts, limits, plan, waits }: Command,
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
    ...etcArguments(plan, made),
    ...(hosts === undefined
      ? []
      : ["--ro-bind-data", given.give(lend(Buffer.from(hosts)).toRead()), "/etc/hosts"]),
    ...["--size", String(limits.tmpBytes), "--perms", "1777", "--tmpfs", "/tmp"],
    ...seen.args,
    ...["--remount-ro", "/", "--chdir", plan.cwd],
    ...["--seccomp", given.give(filter()), "--info-fd", infoAt],
    ...(blockAt === undefined ? [] : ["--block-fd", blockAt])
  ]
  if (options.length > MOST_ARGUMENTS) throw new TooMany()
  // By a descriptor: nobody reads them in a table of processes, and there may be many.
  const listed = given.give(lend(Buffer.from(options.map((option) => `${option}\0`).join(""))).toRead())
  const mark = `${program}.${++started};`
  let told = ""
  return {
    file: bwrap,
    args: ["--args", listed, "--", prlimit, ...prlimitArguments(limits), "--", seen.binary, ...args],
    env: {
      ...env,
      PATH: pathOf(env.PATH ?? "", seen.isSeen),
      HOME: USER.home,
      TMPDIR: "/tmp",
      [MARK]: mark
    },
    descriptors: given.given,
    inside: new Inside(mark, () => (info === undefined ? told : info.text)),
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
