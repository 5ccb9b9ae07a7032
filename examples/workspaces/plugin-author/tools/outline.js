import { Files, Tool } from "bailiwick"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

const Heading = Schema.Struct({ level: Schema.Int, title: Schema.String })

/** Headings in fences are none. */
const headingsIn = (/** @type {string} */ text) =>
  [...text.replace(/^(```|~~~)[\s\S]*?^\1/gm, "").matchAll(/^(#{1,6})\s+(.+?)\s*#*$/gm)].map(
    ([, marks = "", title = ""]) => ({ level: marks.length, title })
  )

export const outline = Tool.make({
  name: "acme_outline",
  description: "The headings of a Markdown file",
  parameters: Schema.Struct({ path: Schema.String }),
  success: Schema.Array(Heading),
  readOnly: true,
  capabilities: { fs_reach: { read: "from-personality" } },
  execute: ({ path }) => Effect.map(Files.read(path), headingsIn)
})
