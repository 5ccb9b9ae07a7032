/**
 * @since 0.1.0
 */
import { Effect, Schema } from "effect"
import { Files } from "../../capabilities/files/Files.js"
import { FilesFound } from "../../capabilities/files/FilesOperations.js"
import * as Ask from "../Ask.js"
import * as Tool from "../Tool.js"
import { described, optional, path } from "./fields.js"

/**
 * @since 0.1.0
 * @category tools
 */
export const searchFiles = Tool.make({
  name: "search_files",
  description:
    "Finds the lines that match a regular expression, in a file or in all files below a directory. " +
    "Back-references and look-around are not understood.",
  parameters: Schema.Struct({
    path,
    pattern: described(Schema.String, "A regular expression; a plain word finds that word"),
    glob: optional(Schema.String, "Only files whose name matches, such as '*.ts'")
  }),
  success: Schema.Struct({
    ...FilesFound.fields,
    note: Schema.optionalWith(Schema.String, { exact: true })
  }),
  readOnly: true,
  category: "files",
  outputIsUntrusted: true,
  needs: ["files.read"],
  capabilities: { fs_reach: { read: "from-personality" } },
  asks: ({ path }) => [Ask.read(path)],
  execute: ({ glob, path, pattern }) =>
    Effect.map(
      Files.search(path, glob === undefined ? { pattern } : { pattern, glob }),
      ({ matches, truncated }) => ({
        matches: matches.map(({ line, path, text }) => ({ path, line, text: shortened(text) })),
        truncated,
        ...(matches.some(({ text }) => text.includes("\uFFFD")) ? { note: GARBLED } : {})
      })
    )
})

const GARBLED =
  "U+FFFD in a line may stand for bytes that are not UTF-8; read the file with encoding base64 for what is there"

const LINE = 2000

/** One line of a minified file would leave no room for the others. */
const shortened = (text: string): string =>
  text.length <= LINE ? text : `${text.slice(0, LINE).replace(/[\uD800-\uDBFF]$/, "")} …`
