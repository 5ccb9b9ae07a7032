import { has } from "../lib/system.js"
import { plain } from "../lib/terminal.js"
import { place } from "./blocks.js"

/** Colours, spaces at the ends of lines and empty lines around the text do not count. */
const normal = (text: string) =>
  plain(text)
    .split(/\r?\n/)
    .map((line) => line.trimEnd())
    .join("\n")
    .trim()

const indented = (text: string) => text.replace(/^/gm, "  ")

/** Whether a program says that it could not run commands, on a machine that is known not to hold them. */
const isLeftOut = (printed: string): boolean =>
  printed.includes("which must be held by the kernel") && !has("bwrap")

/** What is wrong with the output that a document shows, given what was printed. */
export const compareOutput = (
  shown: { readonly document: string; readonly line: number; readonly output: string },
  printed: string
): ReadonlyArray<string> =>
  normal(shown.output) === normal(printed) || isLeftOut(printed)
    ? []
    : [`${place(shown)} shows\n${indented(normal(shown.output))}\nbut prints\n${indented(normal(printed))}`]
