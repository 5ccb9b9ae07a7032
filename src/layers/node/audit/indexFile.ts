/**
 * The blocks of a file, kept beside it. They are a note and no authority: whatever does not fit the file as it is now is
 * as if it were not there, and is made anew.
 */
import { createHash, randomBytes } from "node:crypto"
import * as fs from "node:fs"
import { Option, Schema } from "effect"
import { READ } from "../disk/Disk.js"
import { type Block, Blocks } from "./blocks.js"
import { indexOf } from "./names.js"

const Count = Schema.NonNegativeInt

const Kept = Schema.parseJson(
  Schema.Struct({
    v: Schema.Literal(1),
    /** How much of the file it is of. */
    end: Count,
    lines: Count,
    /** A digest of the beginning of that, and of its end. */
    shape: Schema.String,
    blocks: Schema.Array(Schema.Tuple(Count, Count, Schema.String))
  })
)

const decode = Schema.decodeUnknownOption(Kept)

/** One of more than a terabyte is none. */
const MOST = 256 * 1024 * 1024

const PART = 4096

const piece = (fd: number, position: number, length: number): Buffer => {
  const bytes = Buffer.alloc(length)
  return bytes.subarray(0, fs.readSync(fd, bytes, 0, length, position))
}

const shapeOf = (fd: number, end: number): string => {
  const length = Math.min(PART, end)
  return createHash("sha256")
    .update(piece(fd, 0, length))
    .update(piece(fd, end - length, length))
    .digest("base64url")
}

const textAt = (path: string): string | undefined => {
  try {
    const fd = fs.openSync(path, READ)
    try {
      const stats = fs.fstatSync(fd)
      return stats.isFile() && stats.size <= MOST ? piece(fd, 0, stats.size).toString("utf8") : undefined
    } finally {
      fs.closeSync(fd)
    }
  } catch {
    return undefined
  }
}

const areInOrder = (blocks: ReadonlyArray<Block>, end: number, lines: number): boolean =>
  blocks[0]?.offset === 0 &&
  [...blocks, { offset: end, lines: lines, latest: "" }].every((block, index) => {
    const last = blocks[index - 1]
    return last === undefined || (block.offset > last.offset && block.lines > last.lines)
  })

/** What is known of an open file; nothing where nothing is kept, or it is of another file. */
export const blocksOf = (file: string, fd: number): Blocks => {
  const kept = Option.flatMap(Option.fromNullable(textAt(indexOf(file))), decode)
  if (Option.isNone(kept)) return new Blocks()
  const { end, lines, shape } = kept.value
  const blocks = kept.value.blocks.map(([offset, before, latest]) => ({ offset, lines: before, latest }))
  const fits =
    end > 0 && end <= fs.fstatSync(fd).size && areInOrder(blocks, end, lines) && shapeOf(fd, end) === shape
  return fits ? new Blocks(blocks, end, lines) : new Blocks()
}

const removeQuietly = (path: string): void => {
  try {
    fs.rmSync(path, { force: true })
  } catch {
    // Whoever may not write there has nothing to remove.
  }
}

/** Whoever may not write there reads without it next time, too. */
export const keepBlocks = (file: string, fd: number, blocks: Blocks): void => {
  const path = indexOf(file)
  const temporary = `${path}.${randomBytes(6).toString("hex")}`
  const all = blocks.all.map(({ latest, lines, offset }) => [offset, lines, latest])
  const text = JSON.stringify({
    v: 1,
    end: blocks.end,
    lines: blocks.lines,
    shape: shapeOf(fd, blocks.end),
    blocks: all
  })
  try {
    fs.writeFileSync(temporary, text, { mode: 0o600, flag: "wx" })
    fs.renameSync(temporary, path)
  } catch {
    removeQuietly(temporary)
  }
}
