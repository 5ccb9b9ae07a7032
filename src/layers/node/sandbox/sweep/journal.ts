/**
 * What is known of the children that run now, on the disk: whoever comes after a program that was killed clears up by it. It
 * is a directory beside the quarantine, with one file for each child: written before the child starts, emptied when it was
 * cleared up after. Its name says which program the child is of. A few files wait for the next child, because to make one
 * costs far more than to write it.
 */
import { createHash } from "node:crypto"
import * as fs from "node:fs"
import { basename, dirname, join, resolve } from "node:path"
import { Effect, Either, Schema } from "effect"
import * as Kept from "../../disk/Kept.js"
import { codeOf } from "../../disk/Trouble.js"
import { program } from "../scratch.js"
import { unguessable } from "./entry.js"
import { Memory } from "./memory.js"
import { isGone, ownProgram } from "./program.js"

const { O_NOFOLLOW = 0, O_RDONLY } = fs.constants

/** Says that the journal cannot be used; what is not in it must not start. */
export class Unjournaled extends Error {
  constructor(
    readonly directory: string,
    readonly code: string
  ) {
    super(`${directory} cannot be used (${code})`)
  }
}

/** What may throw that, as an effect. */
export const asked = <A>(work: () => A): Effect.Effect<A, Unjournaled> =>
  Effect.suspend(() => {
    try {
      return Effect.succeed(work())
    } catch (error) {
      return error instanceof Unjournaled ? Effect.fail(error) : Effect.die(error)
    }
  })

const Written = Schema.Struct({
  /** What those carry who hold children of its program. */
  mark: Schema.String,
  memory: Memory
})

export type Written = typeof Written.Type

const read = Schema.decodeUnknownEither(Schema.parseJson(Written))

const NAME = /^(\d+-\d+-[0-9a-f]+-\d+)_[0-9a-f-]+_\d+$/

/** Of another version, or torn, or by somebody else: all of it is there, or it is not read. */
const HEAD = "bailiwick-child 1"

const sumOf = (text: string): string => createHash("sha256").update(text).digest("hex")

/** More than that no plan has. */
const MOST = 64 * 1024 * 1024

const isOthers = (uid: number): boolean => process.geteuid !== undefined && uid !== process.geteuid()

/** `foreign`: somebody else's, who alone may clear up by it. `idle`: of no child. */
type Reading = Written | "unreadable" | "foreign" | "idle"

/** Files that wait for the next child. */
const IDLE = 8

const UNREADABLE = "unreadable-"

/** The children of all programs but this one's. */
export interface Listed {
  readonly gone: ReadonlyArray<string>
  readonly running: ReadonlyArray<string>
}

export class Journal {
  readonly directory: string
  private readonly own = `${ownProgram()}_${unguessable()}`
  private made = 0
  private readonly idle: Array<string> = []
  private isChecked = false
  private isClosed = false

  /** Closes it to tools and children. */
  constructor(quarantine: string) {
    const path = resolve(quarantine)
    this.directory = join(dirname(path), `${basename(path)}.journal`)
    Kept.close(this.directory, { isMade: true })
  }

  at(name: string): string {
    return join(this.directory, name)
  }

  private next(): string {
    return `${this.own}_${++this.made}`
  }

  /** It is this user's alone: who writes into it decides what is moved. */
  private check(): void {
    if (this.isChecked) return
    fs.mkdirSync(this.directory, { recursive: true, mode: 0o700 })
    const stats = fs.lstatSync(this.directory)
    const isRoots = process.geteuid?.() === 0
    if (!stats.isDirectory()) throw new Unjournaled(this.directory, "ENOTDIR")
    if ((stats.mode & 0o022) !== 0 || (isOthers(stats.uid) && !isRoots)) {
      throw new Unjournaled(this.directory, "EPERM")
    }
    this.isChecked = true
  }

  /** Throws `Unjournaled`. What is answered is for when the child was cleared up after. */
  write(memory: Memory): () => void {
    const text = JSON.stringify({ mark: program, memory } satisfies Written)
    const bytes = `${HEAD} ${sumOf(text)}\n${text}`
    const waiting = this.idle.pop()
    if (waiting !== undefined && this.rewrite(waiting, bytes)) return () => this.empty(waiting)
    const path = this.at(this.next())
    try {
      this.check()
      fs.writeFileSync(path, bytes, { flag: "wx", mode: 0o600 })
    } catch (error) {
      this.remove(path)
      throw error instanceof Unjournaled ? error : new Unjournaled(this.directory, codeOf(error))
    }
    return () => this.empty(path)
  }

  /** One that is not there any more is not used again. */
  private rewrite(path: string, bytes: string): boolean {
    try {
      fs.writeFileSync(path, bytes, { flag: "r+" })
      return true
    } catch {
      this.isChecked = false
      this.remove(path)
      return false
    }
  }

  private empty(path: string): void {
    try {
      fs.truncateSync(path)
      if (this.idle.length < IDLE && !this.isClosed) this.idle.push(path)
      else this.remove(path)
    } catch {
      this.remove(path)
    }
  }

  private remove(path: string): void {
    try {
      fs.unlinkSync(path)
    } catch {
      // It is not there, or somebody clears up by it once more.
    }
  }

  /** For when no more children are started: nothing waits for them. */
  close(): void {
    this.isClosed = true
    for (const path of this.idle.splice(0)) this.remove(path)
  }

  /** Throws `Unjournaled`. */
  list(): Listed {
    const known = new Map<string, boolean>()
    const isOver = (name: string): boolean => {
      const over = known.get(name) ?? isGone(name)
      known.set(name, over)
      return over
    }
    const gone: Array<string> = []
    const running: Array<string> = []
    for (const name of this.names()) {
      const [, of] = NAME.exec(name) ?? []
      if (of === undefined || name.startsWith(`${this.own}_`)) continue
      if (isOver(of)) gone.push(name)
      else running.push(name)
    }
    return { gone, running }
  }

  private names(): ReadonlyArray<string> {
    try {
      return fs.readdirSync(this.directory)
    } catch (error) {
      if (codeOf(error) === "ENOENT") return []
      throw new Unjournaled(this.directory, codeOf(error))
    }
  }

  read(name: string): Reading {
    try {
      const fd = fs.openSync(this.at(name), O_RDONLY | O_NOFOLLOW)
      try {
        const stats = fs.fstatSync(fd)
        if (stats.size === 0) return "idle"
        if (isOthers(stats.uid)) return "foreign"
        if (!stats.isFile() || stats.size > MOST) return "unreadable"
        const all = fs.readFileSync(fd, "utf8")
        const end = all.indexOf("\n")
        const text = all.slice(end + 1)
        if (all.slice(0, end) !== `${HEAD} ${sumOf(text)}`) return "unreadable"
        return Either.getOrElse(read(text), () => "unreadable" as const)
      } finally {
        fs.closeSync(fd)
      }
    } catch (error) {
      const code = codeOf(error)
      if (code === "ENOENT") return "idle"
      if (code !== "EACCES") return "unreadable"
      return fs.lstatSync(this.at(name), { throwIfNoEntry: false })?.size ? "foreign" : "idle"
    }
  }

  /**
   * Makes the child of a program that is gone one of this program, which clears up after it: nobody else does then, unless
   * this one is gone as well. Answers with what removes it; nothing if another program was faster.
   */
  claim(name: string): (() => void) | undefined {
    const path = this.at(this.next())
    return this.rename(name, path) ? () => this.remove(path) : undefined
  }

  /** For one that is of no child. */
  drop(name: string): void {
    this.remove(this.at(name))
  }

  /** What was kept because it could not be read. Throws `Unjournaled`. */
  kept(): ReadonlyArray<string> {
    return this.names().filter((name) => name.startsWith(UNREADABLE))
  }

  /** Keeps what cannot be read where nobody looks for it again, and says where. */
  aside(name: string): string | undefined {
    const path = this.at(`${UNREADABLE}${name}`)
    return this.rename(name, path) ? path : undefined
  }

  private rename(name: string, path: string): boolean {
    try {
      fs.renameSync(this.at(name), path)
      return true
    } catch {
      return false
    }
  }
}
