// biome-ignore-all lint/suspicious/noTemplateCurlyInString: personalities write their variables like this
/** What a reader sees: a block a call, the why and the remedy of a refusal, and no byte of a value that moves a cursor. */
import { describe, expect, it } from "vitest"
import { report } from "../../src/cli/report/Report.js"
import { cut, terminal, wrap } from "../../src/cli/report/Terminal.js"
import * as Authority from "../../src/policy/lattice/Authority.js"
import * as Policy from "../../src/policy/Policy.js"
import { Folder, type Options } from "./workspace.js"

const ESC = "\u001b"

const plain = (columns = 80) => terminal({ isTTY: false, columns, env: {} })

const ran = async (options: Options = {}) => {
  const folder = new Folder({ "a.txt": "one\ntwo\n" }).personality('fs_reach: { read: ["${CWD}"] }')
  const calls = [
    { id: "1", name: "read_file", args: { path: "a.txt" } },
    { id: "2", name: "read_file", args: { path: "/outside" } },
    { id: "3", name: "read_file", args: { pat: 1 } }
  ]
  const { stdout } = await folder.bailiwick(["run", "-", "--personality", "personality"], {
    ...options,
    stdin: JSON.stringify(calls)
  })
  return stdout.replaceAll(folder.root, "/ws")
}

const policy = Policy.make({ authority: Authority.nothing, personality: "p" })
const { revision } = policy

describe("a terminal that does not know its width", () => {
  it.each([0, undefined])("says %s, and gets lines of the usual width", (columns) => {
    expect(terminal({ isTTY: true, columns, env: {} }).columns).toBe(100)
    expect(terminal({ isTTY: false, columns, env: {} }).columns).toBe(Number.MAX_SAFE_INTEGER)
  })
})

describe("a report", () => {
  it("shows what was asked, what came of it, and what to write", async () => {
    expect(await ran()).toMatchInlineSnapshot(`
      "✓ read_file  path=a.txt
        {"path":"a.txt","encoding":"utf8","totalLines":2,"truncated":false}
        one
        two

      ✗ read_file  path=/outside
        execution_failed: PATH_NOT_REACHABLE: read not permitted for /outside
        asked   read /outside
        held    /ws/
        remedy  add "/outside", or a directory above it, to fs_reach.read

      ✗ read_file  pat=1
        input_invalid: read_file: pat: is unexpected, expected: "path" | "offset" | "limit" | "encoding"

      3 calls, 1 done, 1 refused, 1 failed
      "
    `)
  })

  it.each([
    ["a pipe", {}, false],
    ["a terminal", { isTTY: true }, true],
    ["a terminal with NO_COLOR", { isTTY: true, env: { NO_COLOR: "1" } }, false],
    ["a pipe with FORCE_COLOR", { env: { FORCE_COLOR: "1" } }, true],
    ["both", { isTTY: true, env: { NO_COLOR: "1", FORCE_COLOR: "1" } }, false],
    ["a terminal with FORCE_COLOR=0", { isTTY: true, env: { FORCE_COLOR: "0" } }, false],
    ["a dumb terminal", { isTTY: true, env: { TERM: "dumb" } }, false]
  ])("on %s has colours or not", async (_what, options, colours) => {
    expect((await ran(options)).includes(ESC)).toBe(colours)
  })

  it.each([40, 60, 120])("fits %i columns", async (columns) => {
    const lines = (await ran({ columns })).split("\n")
    expect(Math.max(...lines.map((line) => [...line].length))).toBeLessThanOrEqual(columns)
  })

  it("lets no control character, and no mark of direction, through", () => {
    const evil = `${ESC}[2J\u0007\r\u202eabc\u009b31m`
    const text = report(
      plain(),
      [{ id: "1", name: evil, args: { [evil]: evil } }],
      [
        { id: "1", name: evil, revision, result: { ok: true, value: { text: `${evil}\n${evil}` } } },
        { id: "2", name: evil, revision, result: { ok: false, code: "execution_failed", error: evil } }
      ],
      { explains: false, policy }
    )
    // biome-ignore lint/suspicious/noControlCharactersInRegex: none of them may be left
    expect(text.replaceAll("\n", "")).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/)
  })

  it("a long value is cut, and says so", () => {
    const value = Array.from({ length: 40 }, (_, i) => `line ${i}`).join("\n")
    const text = report(
      plain(),
      [],
      [{ id: "1", name: "x", revision, result: { ok: true, value, truncated: true } }],
      { explains: false, policy }
    )
    expect(text).toContain("… 29 more lines")
    expect(text).toContain("cut to the budget of the turn")
  })

  it("cuts and wraps by character, not inside one", () => {
    expect(cut("😀😀😀", 3)).toBe("😀…")
    expect(wrap("😀😀😀", 4)).toEqual(["😀😀", "😀"])
    expect(wrap("one two three", 8)).toEqual(["one two", "three"])
  })
})
