/** What a writer has seen of others, which it says in its own chain. */
import { closeSync, fstatSync, openSync } from "node:fs"
import { join } from "node:path"
import { LONGEST } from "../../../../audit/AuditLine.js"
import { READ } from "../../disk/Disk.js"
import { formerOf, type LogName, nameOf } from "../names.js"
import type { LogFile } from "../place.js"
import { between, lastLine } from "../tail.js"
import type { Chain, Chained } from "./Chain.js"
import { digestOf } from "./Digest.js"
import { headsIn } from "./heads.js"
import type { Place, Said } from "./Link.js"

/** How much of what others wrote is looked through, from its end. */
const MOST = 256 * 1024

interface Opening {
  readonly directory: string
  readonly name: LogName
  readonly file: LogFile
  /** The names that were there. */
  readonly earlier: ReadonlyArray<LogName>
  /** The one before it, if it ends in the midst of a line. */
  readonly torn: LogFile | undefined
}

interface Writing {
  readonly file: LogFile
  readonly name: string
  readonly size: number
  /** Up to where the file was seen before. */
  readonly seen: number
  /** Where the first of the lines will stand. */
  readonly starts: number
  readonly isTorn: boolean
}

/** What is in an open file from a position on. */
const since = (fd: number, from: number): Buffer => between(fd, from, fstatSync(fd).size, MOST)

const endOf = (path: string): Buffer => {
  const fd = openSync(path, READ)
  try {
    return since(fd, 0)
  } finally {
    closeSync(fd)
  }
}

export class Witness {
  /** Lines of files before this one, until they are said. */
  #before: ReadonlyArray<Place> = []
  /** What somebody began to write in this file or at the end of the one before it, until it is said. */
  #torn: string | undefined
  /** The file before this one, by its name. */
  #former: string | undefined
  /** Whether the next line is the first in its file. */
  #isFirst = true

  constructor(private readonly chain: Chain) {}

  renew(): void {
    this.chain.renew()
    this.#isFirst = true
  }

  /** A file begins; `last` is the one that was written to, as far as it was seen. */
  opens({ directory, earlier, file, name, torn }: Opening, last: LogFile | undefined, seen: number): void {
    this.#isFirst = true
    this.#torn = torn && digestOf(lastLine(torn.fd, torn.size, LONGEST))
    const own = this.chain.by
    const former = formerOf(name, earlier)
    this.#former = former === undefined ? undefined : nameOf(former)
    const left = last === undefined ? [] : headsIn(since(last.fd, Number.isNaN(seen) ? 0 : seen), own)
    // Who begins a file says how the one before it ended, which others may have begun since this writer left its own.
    const path = former === undefined ? undefined : join(directory, nameOf(former))
    const isUnsaid = file.size === 0 && path !== undefined && path !== last?.path
    this.#before = isUnsaid ? [...left, ...headsIn(endOf(path), own)] : left
  }

  /** The lines as they are to be written; `keep` once they are. */
  linked(objects: ReadonlyArray<string>, { file, isTorn, name, seen, size, starts }: Writing): Chained {
    const from = Number.isNaN(seen) ? 0 : seen
    if (isTorn) this.#torn = digestOf(lastLine(file.fd, size, LONGEST))
    const said: Said = {
      ...(this.#isFirst
        ? { opens: { file: name, from: starts, former: this.#former, prev: this.chain.last } }
        : {}),
      after: size === seen ? [] : headsIn(between(file.fd, from, size, MOST), this.chain.by),
      before: this.#before,
      torn: this.#torn
    }
    const chained = this.chain.linked(objects, said)
    return {
      lines: chained.lines,
      keep: () => {
        chained.keep()
        this.#isFirst = false
        this.#before = []
        this.#torn = undefined
      }
    }
  }
}
