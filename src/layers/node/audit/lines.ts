/** A file taken apart into lines, however it comes in pieces. */
import { LONGEST } from "../../../audit/AuditLine.js"

const NEWLINE = 10

export interface Line {
  /** Without its newline; `undefined` where it is too long. */
  readonly bytes: Buffer | undefined
  readonly number: number
  /** Where it begins, and where the next one does. */
  readonly offset: number
  readonly end: number
}

/** Without the mark that editors and shells put before all of a file. */
export const textOf = ({ bytes, number }: Line): string | undefined => {
  const text = bytes?.toString("utf8")
  return number === 1 && text?.startsWith("\ufeff") ? text.slice(1) : text
}

export class Lines {
  #rest: Array<Buffer> = []
  #restBytes = 0
  #number: number
  #offset: number

  /** From somewhere in a file on: behind so many bytes and lines. */
  constructor({ lines, offset }: { readonly offset: number; readonly lines: number }) {
    this.#number = lines
    this.#offset = offset
  }

  #ended(last: Buffer, newline: number): Line {
    const length = this.#restBytes + last.length
    const bytes = this.#rest.length === 0 ? last : Buffer.concat([...this.#rest, last])
    const offset = this.#offset
    this.#rest = []
    this.#restBytes = 0
    this.#number++
    this.#offset += length + newline
    return {
      bytes: length > LONGEST ? undefined : bytes,
      number: this.#number,
      offset,
      end: this.#offset
    }
  }

  /** The lines that end in this piece, which must not be written to afterwards. */
  push(piece: Buffer): ReadonlyArray<Line> {
    const lines: Array<Line> = []
    let from = 0
    for (let at = piece.indexOf(NEWLINE); at >= 0; at = piece.indexOf(NEWLINE, from)) {
      lines.push(this.#ended(piece.subarray(from, at), 1))
      from = at + 1
    }
    if (from === piece.length) return lines
    this.#restBytes += piece.length - from
    if (this.#restBytes > LONGEST) this.#rest = []
    else this.#rest.push(piece.subarray(from))
    return lines
  }

  /** What is there without a newline at its end. */
  end(): Line | undefined {
    return this.#restBytes === 0 ? undefined : this.#ended(Buffer.alloc(0), 0)
  }
}
