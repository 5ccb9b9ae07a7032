/**
 * @since 0.1.0
 */
import { Effect, Schema } from "effect"
import { Attachments } from "../../capabilities/attachments/Attachments.js"
import { Files } from "../../capabilities/files/Files.js"
import { FilesError } from "../../capabilities/files/FilesOperations.js"
import * as Ask from "../Ask.js"
import * as Tool from "../Tool.js"
import { ArgumentError } from "./ArgumentError.js"
import { contents, countLines, inBase64, inText } from "./contents.js"
import { Encoding, optional, path } from "./fields.js"
import { linesOf } from "./lines.js"

/**
 * A file, or an attachment of this turn under its ref.
 *
 * @since 0.1.0
 * @category tools
 */
export const readFile = Tool.make({
  name: "read_file",
  description:
    "Reads a file, or an attachment of this turn by its ref. Text is given exactly as it is, whole or by lines; " +
    "for what is not text, ask with encoding base64.",
  parameters: Schema.Struct({
    path,
    offset: optional(
      Schema.NonNegativeInt,
      "The first line to read, from 1; with encoding base64, the first byte, from 0"
    ),
    limit: optional(
      Schema.Int.pipe(Schema.positive()),
      "How many lines to read; with base64, how many bytes"
    ),
    encoding: optional(Encoding, "utf8 for text (the default), base64 for bytes")
  }),
  success: Schema.Struct({ path: Schema.String, ...contents }),
  failure: ArgumentError,
  readOnly: true,
  category: "files",
  outputIsUntrusted: true,
  needs: ["files.read"],
  capabilities: { fs_reach: { read: "from-personality" }, attachments: { kinds: "*" } },
  asks: ({ path }) => [looksLikeRef(path) ? Ask.attachment(path) : Ask.read(path)],
  execute: ({ encoding = "utf8", limit, offset, path }) =>
    Effect.gen(function* () {
      const read = yield* sourceOf(path)
      if (encoding === "base64") {
        // One byte more than was asked for tells whether there is more.
        const bytes = yield* read({
          offset: offset ?? 0,
          ...(limit === undefined ? {} : { length: limit + 1 })
        })
        const more = limit !== undefined && bytes.length > limit
        return { path, ...inBase64(more ? bytes.subarray(0, limit) : bytes, more) }
      }
      if (limit === undefined && (offset === undefined || offset <= 1)) {
        const bytes = yield* read({})
        return { path, ...inText(bytes, { totalLines: countLines(bytes), truncated: false }) }
      }
      const { bytes, ...found } = yield* linesOf(
        read,
        Math.max(1, offset ?? 1),
        limit ?? Number.MAX_SAFE_INTEGER
      )
      return { path, ...inText(bytes, found) }
    })
})

const looksLikeRef = (path: string): boolean => /^att-\d+$/.test(path)

const inParts = (error: FilesError): FilesError =>
  error.code === "LIMIT_EXCEEDED"
    ? new FilesError({ ...error, detail: `${error.detail}; read it in parts, with offset and limit` })
    : error

/** A ref goes before a file of that name in the working directory, which `./` names. */
const sourceOf = (path: string) =>
  Effect.gen(function* () {
    const attached = path.includes("/") ? [] : yield* Attachments.list()
    if (!attached.some(({ ref }) => ref === path)) {
      return (range: Files.Range) => Effect.mapError(Files.readBytes(path, range), inParts)
    }
    const bytes = yield* Attachments.read(path)
    return ({ length, offset = 0 }: Files.Range) =>
      Effect.succeed(bytes.subarray(offset, length === undefined ? undefined : offset + length))
  })
