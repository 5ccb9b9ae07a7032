/** A form of a hostile server at a terminal: none of its words passes for a line of ours, whatever it writes. */
import { describe, expect, it } from "vitest"
import { dialogue } from "../../src/cli/prompt/Dialogue.js"
import { fillIn } from "../../src/cli/prompt/Form.js"
import { widthOf } from "../../src/cli/report/Terminal.js"
import type * as Elicitation from "../../src/registry/inquiry/Elicitation.js"
import { FakeTty, keys, plain } from "./fakeTty.js"

const COLUMNS = 60

const answered = async (request: Elicitation.Request, ...typed: ReadonlyArray<string>) => {
  const tty = new FakeTty(
    typed.flatMap((line) => [line, keys.enter]),
    { columns: COLUMNS }
  )
  const signal = new AbortController().signal
  const answer = await dialogue({ env: {}, signal }, tty, (talk) => fillIn(talk, request, "notes"))
  // A line that is drawn again begins anew.
  const lines = plain(tty.shown)
    .split(/\r\n?|\n/)
    .filter((line) => line !== "")
  return { answer, lines }
}

/** Whose line it is, by how it begins. */
const isTheirs = (line: string): boolean => line.startsWith("  | ") || line.startsWith("notes asks: ")

const MARK = "FORGED"

/** As wide as what is left of the first line, so that the rest stands at the beginning of the next. */
const padded = (text: string): string => `${" ".repeat(COLUMNS - 4)}${text}`

const wordsOf = (text: string): Elicitation.Request => ({
  message: text,
  fields: [
    { _tag: "Text", name: "one", title: text, description: text, required: false, default: text },
    {
      _tag: "OneOf",
      name: "two",
      title: text,
      required: true,
      choices: [
        { value: "a", title: text },
        { value: "b", title: text }
      ]
    }
  ]
})

describe("the words of a server", () => {
  it.each([
    ["plain", MARK],
    ["after blanks that fill the line", padded(MARK)],
    ["again and again", `${MARK} `.repeat(500)],
    ["without a blank", MARK.repeat(500)],
    ["on lines of their own", `\n${MARK}\r\n${MARK}\r${MARK}\u2028${MARK}\u0085${MARK}`],
    ["with escapes", `\u001b[2J\u001b[H${MARK}\u001b]0;${MARK}\u0007\b\b\b${MARK}`],
    ["in wide characters", `${"宽".repeat(28)}${MARK}${"宽".repeat(200)}${MARK}`],
    ["like a question of ours", `Send this to bailiwick? [y/N] ${MARK}`]
  ])("stand behind a bar or a name, and fit the screen: %s", async (_, text) => {
    const { answer, lines } = await answered(wordsOf(text), "y", "", "2", "y")
    expect(answer).toMatchObject({ action: "accept", content: { one: text, two: "b" } })
    expect(lines.filter((line) => line.includes(MARK[0] ?? "") && !isTheirs(line))).toEqual([])
    expect(lines.filter((line) => isTheirs(line) && widthOf(line) > COLUMNS)).toEqual([])
    // What stands last before the question names the server, however much stood above.
    const question = lines.findIndex((line) => line.startsWith("Answer notes?"))
    expect(lines[question - 1]).toContain("MCP server notes")
  })

  it("of a whole screen and more take no more than they may", async () => {
    const long = "x".repeat(200_000)
    const { answer, lines } = await answered(
      { message: "", fields: [{ _tag: "Text", name: "one", required: false, default: long }] },
      "y",
      "",
      "y"
    )
    expect(answer).toMatchObject({ action: "accept", content: { one: long } })
    expect(lines.join("").length).toBeLessThan(4000)
    expect(lines.join("")).toContain("(200000")
  })
})
