/**
 * @since 0.1.0
 */
import { Encoding as Base64, Effect, Either, Schema } from "effect"
import { Files } from "../../capabilities/files/Files.js"
import * as Ask from "../Ask.js"
import * as Tool from "../Tool.js"
import { ArgumentError } from "./ArgumentError.js"
import { described, Encoding, optional, path } from "./fields.js"

/**
 * @since 0.1.0
 * @category tools
 */
export const writeFile = Tool.make({
  name: "write_file",
  description:
    "Writes a file, in place of what was there. Directories above it that are missing are made. Bytes are written as " +
    "base64.",
  parameters: Schema.Struct({
    path,
    content: described(Schema.String, "All that the file will hold"),
    encoding: optional(Encoding, "utf8 when the content is text (the default), base64 when it is bytes")
  }),
  success: Schema.Struct({ path: Schema.String, bytes: Schema.Int }),
  failure: ArgumentError,
  category: "files",
  needs: ["files.write"],
  capabilities: { fs_reach: { write: "from-personality" } },
  asks: ({ path }) => [Ask.write(path)],
  execute: ({ content, encoding = "utf8", path }) =>
    Effect.gen(function* () {
      const bytes = yield* bytesOf(content, encoding)
      const above = path.slice(0, Math.max(0, path.lastIndexOf("/")))
      yield* Effect.catchIf(
        Files.write(path, bytes),
        ({ code }) => code === "NOT_FOUND" && above !== "",
        () => Effect.zipRight(Files.mkdir(above, { recursive: true }), Files.write(path, bytes))
      )
      return { path, bytes: bytes.length }
    })
})

const encoder = new TextEncoder()

const bytesOf = (content: string, encoding: typeof Encoding.Type) =>
  encoding === "utf8"
    ? Effect.succeed(encoder.encode(content))
    : Either.mapLeft(
        Base64.decodeBase64(content),
        () =>
          new ArgumentError({
            code: "ARGUMENT_INVALID",
            detail: "the content is not base64: encode the bytes, or leave encoding out to write text"
          })
      )
