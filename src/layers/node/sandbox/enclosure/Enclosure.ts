/**
 * A Node of its own for code that is not trusted: inside of bubblewrap it has its code, the runtime, one socket to this
 * program, and nothing else: no network, no other file, no environment, no process that it could start.
 *
 * @since 0.1.0
 */
import { type ChildProcess, spawn } from "node:child_process"
import { constants } from "node:os"
import type { Duplex, Readable } from "node:stream"
import { Effect } from "effect"
import { Descriptors } from "../descriptors.js"
import { withoutInherited } from "../Inherited.js"
import { Lent, shared } from "../nameless.js"
import { NAMESPACES, PROC } from "../namespaces.js"
import { type Probed, probe } from "../probe/Probe.js"
import { bytesFor, isKnown } from "../seccomp/SeccompFilter.js"
import { nodeRuntime } from "./libraries.js"

/**
 * A file or directory that it sees, read-only, at its own path or at another.
 *
 * @since 0.1.0
 * @category models
 */
export interface Seen {
  readonly path: string
  readonly kind: "directory" | "file"
  readonly at?: string | undefined
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Enclosed {
  /** What Node is told, in here: the paths are those that are seen in there. */
  readonly args: ReadonlyArray<string>
  readonly seen: ReadonlyArray<Seen>
  /** Links that stand in there, and where they lead. */
  readonly links?: ReadonlyArray<readonly [path: string, target: string]> | undefined
  readonly memoryBytes: number
  /** A file that it writes, at another path. */
  readonly written?: { readonly path: string; readonly at: string } | undefined
}

/**
 * A process that was started, and the socket that leads to its descriptor 3.
 *
 * @since 0.1.0
 * @category models
 */
export interface Started {
  readonly pid: number | undefined
  readonly socket: Duplex
  readonly errors: Readable
  /** Ends it by force, with everything in it. */
  readonly kill: () => void
  /** Stops it where it is, with everything in it, until it is woken. */
  readonly rest: () => void
  readonly wake: () => void
  /** How it ended, in words. */
  readonly ended: Promise<string>
}

/**
 * What encloses a process here, or why nothing does. Profiles of macOS do not: what they let a process see is more.
 *
 * @since 0.1.0
 * @category models
 */
export type Holding = Extract<Probed, { readonly by: "bwrap" }> | Extract<Probed, { readonly held: false }>

const enclosing = (found: Probed): Holding =>
  found.held && found.by === "seatbelt"
    ? {
        held: false,
        isExpected: true,
        kind: "unsupported",
        why: "isolated tools need bubblewrap, which this system does not have",
        remedy: "run them on Linux"
      }
    : found

/**
 * Whether a process can be enclosed here. It is asked of the system. `bwrap` is its absolute path, where it is not to be
 * looked for.
 *
 * @since 0.1.0
 * @category constructors
 */
export const holding = (bwrap?: string): Effect.Effect<Holding> =>
  Effect.map(
    Effect.suspend(() => probe({ path: process.env.PATH, bwrap })),
    enclosing
  )

/** Where the runtime is, in there. */
const NODE = "/node"

const filter = shared(isKnown(process.arch) ? bytesFor(process.arch, true) : new Uint8Array())

/**
 * What bounds every one, beside its memory.
 *
 * @since 0.1.0
 * @category limits
 */
export const limits = { openFiles: 1024, fileBytes: 64 * 1024 * 1024 } as const

const limited = ({ memoryBytes }: Enclosed): ReadonlyArray<string> => [
  `--data=${memoryBytes}`,
  `--nofile=${limits.openFiles}`,
  `--fsize=${limits.fileBytes}`,
  "--core=0",
  "--"
]

const DEVICES = ["null", "zero", "urandom"].map((name) => `/dev/${name}`)

/**
 * What it can read beside its code: the runtime, and what that needs.
 *
 * @since 0.1.0
 * @category accessors
 */
export const read = (): ReadonlyArray<string> => [NODE, ...nodeRuntime().libraries, ...DEVICES, "/proc"]

const optionsOf = ({ links = [], seen, written }: Enclosed, given: Descriptors): ReadonlyArray<string> => {
  const runtime = nodeRuntime()
  return [
    // Its session is made when it is started, so that its group is known here.
    ...NAMESPACES.filter((option) => option !== "--new-session"),
    "--clearenv",
    ...runtime.links.flatMap(([path, target]) => ["--symlink", target, path]),
    ...runtime.libraries.flatMap((path) => ["--ro-bind", path, path]),
    ...["--ro-bind", runtime.binary, NODE],
    ...["--perms", "0755", "--dir", "/dev"],
    ...DEVICES.flatMap((path) => ["--dev-bind", path, path]),
    ...PROC,
    ...seen.flatMap(({ at, kind, path }) => ["--ro-bind-fd", given.giveAt(path, kind), at ?? path]),
    ...(written === undefined ? [] : ["--bind-fd", given.giveAt(written.path, "file"), written.at]),
    ...links.flatMap(([path, target]) => ["--symlink", target, path]),
    ...["--remount-ro", "/", "--chdir", "/"],
    ...["--seccomp", given.give(filter())]
  ]
}

const SIGNALS = Object.entries(constants.signals)

/** bwrap tells of an end by a signal as shells do. */
const endOf = (code: number | null, signal: NodeJS.Signals | null): string => {
  if (signal !== null) return `by ${signal}`
  const name =
    code !== null && code > 128 ? SIGNALS.find(([, number]) => number === code - 128)?.[0] : undefined
  return name === undefined ? `with ${code}` : `by ${name}`
}

/** To its whole group, which it leads: nothing in there leaves it. */
const signal = ({ exitCode, pid, signalCode }: ChildProcess, name: NodeJS.Signals): void => {
  if (pid === undefined || exitCode !== null || signalCode !== null) return
  try {
    process.kill(-pid, name)
  } catch {
    // It has just ended.
  }
}

/** One that leads no group is not stopped: should this program be killed, nobody would ever wake it. */
const startedAs = (child: ChildProcess, leads: boolean, ended: () => void = () => {}): Started => {
  const [, , errors, socket] = child.stdio
  return {
    pid: child.pid,
    // What was asked for as a pipe is a socket, to be read and written.
    socket: socket as unknown as Duplex,
    errors: errors as Readable,
    kill: () => {
      child.kill("SIGKILL")
    },
    rest: () => {
      if (leads) signal(child, "SIGSTOP")
    },
    wake: () => {
      if (leads) signal(child, "SIGCONT")
    },
    ended: new Promise((resolve) => {
      child.once("error", ({ message }) => {
        ended()
        resolve(`before it began: ${message}`)
      })
      child.once("close", (code, signal) => {
        ended()
        resolve(endOf(code, signal))
      })
    })
  }
}

/**
 * Starts Node inside. Throws where what it is to see is not there any more.
 *
 * @since 0.1.0
 * @category constructors
 */
export const start = (
  { programs }: Extract<Holding, { readonly held: true }>,
  enclosed: Enclosed
): Started => {
  const given = new Descriptors()
  const lent: Array<Lent> = []
  const giveBack = () => {
    for (const file of lent.splice(0)) file.giveBack()
  }
  try {
    given.give("pipe")
    const options = optionsOf(enclosed, given)
    const listed = new Lent(Buffer.from(options.map((option) => `${option}\0`).join("")))
    lent.push(listed)
    const at = given.give(listed.toRead())
    const words = [...limited(enclosed), programs.bwrap, "--args", at, "--", NODE, ...enclosed.args]
    const child = withoutInherited(3 + given.given.length, (rest) =>
      spawn(programs.prlimit, words, {
        cwd: "/",
        env: {},
        detached: true,
        stdio: ["ignore", "ignore", "pipe", ...given.given, ...rest]
      })
    )
    given.close()
    return startedAs(child, true, giveBack)
  } catch (error) {
    given.close()
    giveBack()
    throw error
  }
}

/**
 * Starts Node with nothing that holds it, for those who were told so and agreed. It has no environment.
 *
 * @since 0.1.0
 * @category constructors
 */
export const startUnheld = ({ args, seen, written }: Enclosed): Started => {
  const all = [...seen, ...(written === undefined ? [] : [written])]
  const placed = (word: string) => all.find(({ at }) => at === word)?.path ?? word
  return startedAs(
    withoutInherited(4, (rest) =>
      spawn(process.execPath, args.map(placed), {
        cwd: "/",
        env: {},
        stdio: ["ignore", "ignore", "pipe", "pipe", ...rest]
      })
    ),
    false
  )
}
