/**
 * Asks ripgrep which files hold a literal. Its answer is only a hint where to look: every file is opened, verified
 * and matched by us, so that nothing it was tricked into reading can reach an answer. The kernel holds it to the tree that it
 * searches.
 */
import { type ChildProcess, spawn } from "node:child_process"
import * as fs from "node:fs"
import { delimiter, isAbsolute, join } from "node:path"
import { Effect } from "effect"
import type { Plan } from "../../../policy/confinement/Plan.js"
import type { Proof } from "../../../policy/gate/Proof.js"
import type { Scoped } from "../../../policy/lattice/Request.js"
import type { Literal } from "../../files/Literal.js"
import type { Limits } from "../disk/Limits.js"
import * as Bwrap from "../sandbox/Bwrap.js"
import { settle } from "../sandbox/ChildLimits.js"
import { withoutInherited } from "../sandbox/Inherited.js"
import { type Probed, probe } from "../sandbox/probe/Probe.js"
import { ignored } from "./walk.js"

/** A binary by its absolute path, and whether it can be held; `undefined` for none. */
export type Ripgrep = { readonly binary: string; readonly probed: Effect.Effect<Probed> } | undefined

/** Asked once, by whoever searches first. */
export const at = (binary: string): Ripgrep => {
  let known: Probed | undefined
  const asked = Effect.tap(probe({ path: process.env.PATH ?? "" }), (probed) =>
    Effect.sync(() => {
      known = probed
    })
  )
  return { binary, probed: Effect.suspend(() => (known === undefined ? asked : Effect.succeed(known))) }
}

/** Which file each was when it was found: another one in its place is not run, as no command would be. */
const identities = new Map<string, string>()

const identityOf = (file: string): string | undefined => {
  const found = fs.statSync(file, { bigint: true, throwIfNoEntry: false })
  return found?.isFile() === true ? `${found.dev}:${found.ino}:${found.size}:${found.mtimeNs}` : undefined
}

const isStill = (file: string): boolean => {
  const identity = identityOf(file)
  const known = identities.get(file) ?? identity
  if (identity === undefined || known !== identity) return false
  identities.set(file, identity)
  return true
}

export const find = (searched: string | undefined): Ripgrep => {
  const found = foundOn(searched)
  const identity = found === undefined ? undefined : identityOf(found)
  if (found !== undefined && identity !== undefined) identities.set(found, identity)
  return found === undefined ? undefined : at(found)
}

const foundOn = (searched: string | undefined): string | undefined =>
  (searched ?? "")
    .split(delimiter)
    .filter(isAbsolute)
    .map((directory) => join(directory, "rg"))
    .find((file) => {
      try {
        fs.accessSync(file, fs.constants.X_OK)
        return fs.statSync(file).isFile()
      } catch {
        return false
      }
    })

const MAX_OUTPUT = 16 * 1024 * 1024

const argumentsOf = (
  { ignoreCase, text }: Literal,
  limits: Limits,
  skips: boolean
): ReadonlyArray<string> => [
  "--no-config",
  "--files-with-matches",
  "--null",
  "--no-follow",
  "--hidden",
  "--no-ignore",
  "--text",
  "--encoding=none",
  "--color=never",
  "--no-messages",
  `--max-filesize=${limits.searchFileBytes}`,
  `--max-depth=${limits.depth + 1}`,
  ignoreCase ? "--ignore-case" : "--case-sensitive",
  ...(skips ? [...ignored].map((name) => `--glob=!${name}/`) : []),
  "--fixed-strings",
  `--regexp=${text}`,
  "--",
  "./"
]

/** It sees the tree that it searches, and cannot change it. */
const planOf = (binary: string, root: string): Plan => ({
  mounts: [{ path: root, kind: "tree", access: "read" }],
  covers: [],
  links: [],
  cwd: root,
  binary,
  reaches: false,
  doors: [],
  leftOut: []
})

interface Search {
  readonly child: ChildProcess
  readonly hold?: Bwrap.Wrapped
}

const bare = (binary: string, given: ReadonlyArray<string>, cwd: string): Search => ({
  child: withoutInherited(3, (rest) =>
    spawn(binary, given, { cwd, env: {}, stdio: ["ignore", "pipe", "ignore", ...rest] })
  )
})

const held = (
  programs: Bwrap.Programs,
  binary: string,
  given: ReadonlyArray<string>,
  root: string
): Search => {
  const plan = planOf(fs.realpathSync(binary), root)
  const argv = [binary, ...given]
  const limits = settle({})
  const hold = Bwrap.wrap(programs, { plan, found: binary, argv, env: {}, limits, waits: false })
  try {
    const child = withoutInherited(3 + hold.descriptors.length, (rest) =>
      spawn(hold.file, hold.args, {
        cwd: "/",
        env: hold.env,
        detached: true,
        stdio: ["ignore", "pipe", "ignore", ...hold.descriptors, ...rest]
      })
    )
    return { child, hold }
  } catch (error) {
    hold.ended()
    throw error
  } finally {
    hold.started()
  }
}

/** Nothing, where it cannot be started, or could only be started unheld. */
const started = (
  binary: string,
  given: ReadonlyArray<string>,
  root: string,
  programs: Bwrap.Programs | "none needed" | undefined
): Search | undefined => {
  try {
    if (programs === undefined || !isStill(binary)) return undefined
    return programs === "none needed" ? bare(binary, given, root) : held(programs, binary, given, root)
  } catch {
    return undefined
  }
}

/** Paths below the root; `undefined` when the answer cannot be relied on to be whole, or nothing can hold who gives it. */
export const candidates = (
  { binary, probed }: NonNullable<Ripgrep>,
  proof: Proof<Scoped>,
  root: string,
  literal: Literal,
  limits: Limits,
  skips: boolean
): Effect.Effect<ReadonlyArray<string> | undefined> => {
  const given = argumentsOf(literal, limits, skips)
  if (proof.held.sandbox.mode === "off") return run(() => started(binary, given, root, "none needed"))
  return Effect.flatMap(probed, (found) =>
    run(() => started(binary, given, root, found.held && found.by === "bwrap" ? found.programs : undefined))
  )
}

const run = (start: () => Search | undefined): Effect.Effect<ReadonlyArray<string> | undefined> =>
  Effect.async((resume) => {
    const search = start()
    if (search === undefined) return resume(Effect.succeed(undefined))
    const { child, hold } = search
    const chunks: Array<Buffer> = []
    let size = 0
    let ended = false
    let stopped: (() => void) | undefined
    const kill = () => {
      hold?.inside.kill()
      child.kill("SIGKILL")
    }
    const end = (found: ReadonlyArray<string> | undefined): void => {
      if (ended) return
      ended = true
      hold?.ended()
      if (stopped === undefined) resume(Effect.succeed(found))
      else stopped()
    }
    child.stdout?.on("data", (chunk: Buffer) => {
      chunks.push(chunk)
      size += chunk.length
      if (size > MAX_OUTPUT) kill()
    })
    child.on("error", () => end(undefined))
    child.on("exit", (_, signal) => {
      // Who was still being built when it was ended holds the pipe.
      if (signal !== null) hold?.inside.end()
    })
    child.on("close", async (code) => {
      if (hold?.inside.isAlive() === true) await hold.inside.end()
      // 1 is no match. 2 is trouble, and then what it found may not be all. What holds it may not have started it.
      const isWhole = (code === 0 || code === 1) && size <= MAX_OUTPUT && hold?.inside.hasEnded !== false
      if (!isWhole) return end(undefined)
      const names = Buffer.concat(chunks).toString("utf8").split("\0")
      end(names.flatMap((name) => (name.startsWith("./") ? [name.slice(2)] : [])))
    })
    return Effect.async<void>((done) => {
      if (ended) return done(Effect.void)
      stopped = () => done(Effect.void)
      kill()
    })
  })
