/** What every child is given a part of, made once for this program: the copy of `/etc`, and what stands for nothing. */
import type { ChildProcess } from "node:child_process"
import { randomBytes } from "node:crypto"
import { accessSync, constants, mkdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { Effect, type Scope } from "effect"
import * as Kept from "../disk/Kept.js"
import * as etc from "./etc.js"
import { dismiss, start } from "./warden.js"

export interface Scratch {
  readonly etc: string
  /** The bundle of authorities in it. */
  readonly authorities: string
  /** An empty file, and an empty directory. */
  readonly file: string
  readonly directory: string
}

/** What the children of this program carry in their environment. */
export const program = `bw${randomBytes(16).toString("hex")}`

let made: Scratch | undefined

let warden: ChildProcess | undefined

/** In memory where the system has that. */
const folder = (): string => {
  try {
    accessSync("/dev/shm", constants.W_OK | constants.X_OK)
    return "/dev/shm"
  } catch {
    return tmpdir()
  }
}

const rootOf = (): string => join(folder(), `bailiwick-${process.pid}-${randomBytes(8).toString("hex")}`)

const isThere = ({ etc: path }: Scratch): boolean => statSync(path, { throwIfNoEntry: false }) !== undefined

/** Has groups of processes removed whose paths begin so, should this program end before it has removed them. */
export const remember = (groups: string): void => {
  scratch()
  warden?.stdin?.write(`${groups}\n`)
}

export const scratch = (): Scratch => {
  if (made !== undefined && isThere(made)) return made
  const root = rootOf()
  // Before it is there: whoever removes it may not come later.
  warden = start(program, root)
  mkdirSync(root, { mode: 0o700 })
  Kept.close(root)
  const [file, directory] = [join(root, "file"), join(root, "directory")]
  const authorities = etc.makeIn(join(root, "etc"))
  writeFileSync(file, "", { mode: 0o444 })
  mkdirSync(directory, { mode: 0o555 })
  made = { etc: join(root, "etc"), authorities, file, directory }
  return made
}

let holders = 0

const dispose = (): Promise<void> => {
  const [known, guard] = [made, warden]
  made = undefined
  warden = undefined
  if (known !== undefined) rmSync(dirname(known.etc), { recursive: true, force: true })
  return guard === undefined ? Promise.resolve() : dismiss(guard)
}

/**
 * For those who start children: it stays for as long as one of them does. The last to leave has it removed, so that nothing
 * is left of a layer that was closed.
 */
export const lasting: Effect.Effect<void, never, Scope.Scope> = Effect.acquireRelease(
  Effect.sync(() => {
    holders++
  }),
  () => Effect.suspend(() => (--holders === 0 ? Effect.promise(dispose) : Effect.void))
)
