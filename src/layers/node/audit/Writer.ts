/**
 * Adds entries to the files of a directory, into which other processes may write at the same time: each batch is one write
 * to the end of a file that all share.
 */
import { closeSync } from "node:fs"
import { apart } from "../../../audit/AuditLine.js"
import type { Witness } from "./chain/Witness.js"
import { unwritten } from "./failure.js"
import { Handle } from "./handle.js"
import { Joiner } from "./joiner.js"
import { inOrder, type LogName, nameOf, namesIn } from "./names.js"
import { type LogFile, opened, prepared, sizeOf } from "./place.js"
import { removeOld } from "./retention.js"
import type { System } from "./system.js"
import { endsLine } from "./tail.js"
import { undone } from "./undoing.js"

export interface Settings {
  readonly directory: string
  readonly fileBytes: number
  readonly keepDays: number | undefined
  /** With it every line stands in a chain. */
  readonly witness: Witness | undefined
  readonly system: System
  /** Hears what an operator should know, and nobody has to wait for. */
  readonly say: (sentence: string) => void
}

const closedOff = ({ path }: LogFile): string =>
  `${path} ended in the midst of a line, whose writer was stopped; the line was closed off`

const MILLIS_OF_A_DAY = 24 * 60 * 60 * 1000

const dayOf = (count: number): string => new Date(count * MILLIS_OF_A_DAY).toISOString().slice(0, 10)

/** Open, where the file ends in the midst of a line. */
const tornIn = (directory: string, name: LogName | undefined): LogFile | undefined => {
  if (name === undefined) return undefined
  try {
    const file = opened(directory, nameOf(name))
    if (!endsLine(file.fd, file.size)) return file
    closeSync(file.fd)
  } catch {
    // Nothing is to be written there any more, and whoever reads it says what is wrong.
  }
  return undefined
}

const errorOf = (run: () => unknown): unknown => {
  try {
    run()
    return undefined
  } catch (error) {
    return error
  }
}

export class Writer {
  readonly #joiner = new Joiner()
  #handle: Handle | undefined
  #name: LogName = { day: "", number: 0 }
  #day = Number.NaN
  /** Where the file ended when this writer had written last; it ends there still if nobody else has written. */
  #end = Number.NaN
  /** The file before it, while that ends in the midst of a line and nothing says so. */
  #left: LogFile | undefined
  /** The millisecond in which the file was looked at last. */
  #lookedAt = Number.NaN

  constructor(private readonly settings: Settings) {}

  /** Returns once they are written; what is returned brings them to the disk. Throws an `AuditError`. */
  append(lines: string, now: number): Handle {
    try {
      const { handle, size } = this.#fresh(now) ?? this.#current(Math.floor(now / MILLIS_OF_A_DAY))
      this.#lookedAt = now
      this.#write(handle.file, size, lines)
      return handle
    } catch (error) {
      throw unwritten(this.#handle?.file.path ?? this.settings.directory, error)
    }
  }

  close(): void {
    this.#leave()
    this.#handle?.retire()
    this.#handle = undefined
  }

  /**
   * The file as this writer left it in the same millisecond: it is not looked at again. Who wrote to it or moved it away
   * since then did so at the same time. A chain says what others wrote, and looks each time.
   */
  #fresh(now: number): { readonly handle: Handle; readonly size: number } | undefined {
    const isFresh = now === this.#lookedAt && this.#end < this.settings.fileBytes
    return isFresh && this.#handle !== undefined && this.settings.witness === undefined
      ? { handle: this.#handle, size: this.#end }
      : undefined
  }

  /** The file that is written to now, and how long it is. */
  #current(today: number): { readonly handle: Handle; readonly size: number } {
    // A clock that was set back does not lead back to a file that was left.
    const day = Number.isNaN(this.#day) ? today : Math.max(today, this.#day)
    const handle = this.#handle
    const size = handle === undefined ? undefined : sizeOf(handle.file)
    if (handle !== undefined && size !== undefined && day === this.#day && size < this.settings.fileBytes) {
      return { handle, size }
    }
    return this.#open(day)
  }

  #open(day: number): { readonly handle: Handle; readonly size: number } {
    const { fileBytes, keepDays, say } = this.settings
    const directory = prepared(this.settings.directory)
    const today = dayOf(day)
    if (keepDays !== undefined && day !== this.#day) {
      for (const sentence of removeOld(directory, today, keepDays)) say(sentence)
    }
    const before = namesIn(directory)
    let name: LogName = before.findLast((one) => one.day === today) ?? { day: today, number: 0 }
    let file = opened(directory, nameOf(name))
    while (file.size >= fileBytes) {
      new Handle(file, directory, this.settings.system).retire()
      name = { day: today, number: name.number + 1 }
      file = opened(directory, nameOf(name))
    }
    this.#leave()
    this.#left = tornIn(
      directory,
      before.findLast((one) => inOrder(one, name) < 0)
    )
    const opening = { directory, name, file, earlier: before, torn: this.#left }
    this.settings.witness?.opens(opening, this.#handle?.file, this.#end)
    this.#handle?.retire()
    const handle = new Handle(file, directory, this.settings.system)
    this.#handle = handle
    this.#name = name
    this.#day = day
    this.#end = Number.NaN
    return { handle, size: file.size }
  }

  /** Once the chain says so, and not before: who is stopped in between leaves nothing that nobody has said. */
  #closeOff(file: LogFile): void {
    const { say, system } = this.settings
    const failure = errorOf(() => system.write(file.fd, Buffer.from("\n")))
    if (failure === undefined) say(closedOff(file))
    this.#leave()
  }

  #leave(): void {
    if (this.#left !== undefined) closeSync(this.#left.fd)
    this.#left = undefined
  }

  #write(file: LogFile, size: number, lines: string): void {
    const { say, system } = this.settings
    const isOthers = size !== this.#end
    const isTorn = isOthers && !endsLine(file.fd, size)
    if (isTorn) {
      say(closedOff(file))
      // A line says one; the other stays for who comes next.
      this.#leave()
    }
    const start = isTorn ? "\n" : ""
    const linked = this.settings.witness?.linked(apart(lines), {
      file,
      name: nameOf(this.#name),
      size,
      seen: this.#end,
      starts: size + start.length,
      isTorn
    })
    const bytes = this.#joiner.joined(start + (linked?.lines ?? lines))
    this.#end = Number.NaN
    let count = 0
    let failure = errorOf(() => {
      count = system.write(file.fd, bytes)
    })
    if (count === bytes.length) {
      this.#end = size + count
      linked?.keep()
      if (this.#left !== undefined) this.#closeOff(this.#left)
      return
    }
    const isUndone = undone(file, size, bytes.subarray(0, count), system)
    if (!isUndone) this.settings.witness?.renew()
    // A write that was cut short does not say why; the next one does.
    failure ??= errorOf(() => system.write(file.fd, Buffer.from("\n")))
    throw unwritten(
      file.path,
      failure ?? Object.assign(new Error("short"), { code: "a short write" }),
      isUndone ? "" : "; a part of it was written, and will be there twice"
    )
  }
}
