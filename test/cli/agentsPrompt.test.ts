/** Keys, lines and lists of a terminal: what is typed, pasted, cut in two or never comes. */

import { FastCheck as fc } from "effect"
import { describe, expect, it } from "vitest"
import { type Dialogue, dialogue } from "../../src/cli/prompt/Dialogue.js"
import { firstKey, type Key, keysOf } from "../../src/cli/prompt/Key.js"
import { askLine, confirm, edited, emptyLine, textOf, windowOf } from "../../src/cli/prompt/Line.js"
import { type Choice, lines, moved, pick, type State } from "../../src/cli/prompt/Pick.js"
import type { Typed } from "../../src/cli/prompt/Tty.js"
import { progress } from "../../src/cli/report/Progress.js"
import { rows } from "../../src/cli/report/Table.js"
import { graphemes, terminal, widthOf } from "../../src/cli/report/Terminal.js"
import { times } from "../deep.js"
import { FakeTty, keys, plain } from "./fakeTty.js"

const around = (signal = new AbortController().signal) => ({ env: { NO_COLOR: "1" }, signal })

const talk = <A>(tty: FakeTty, use: (dialogue: Dialogue) => Promise<A>, signal?: AbortSignal) =>
  dialogue(around(signal), tty, use)

const pressed = async (...typed: ReadonlyArray<string | Typed>): Promise<ReadonlyArray<Key>> => {
  const { next } = keysOf(new FakeTty([...typed, "ended"]).open())
  const all: Array<Key> = []
  for (;;) {
    const key = await next()
    if (key.name === "gone") return all
    all.push(key)
  }
}

const text = (given: string, pasted = false): Key => ({ name: "text", text: given, pasted })

describe("keys", () => {
  it.each([
    ["\u001b[A", "up"],
    ["\u001bOB", "down"],
    ["\u001b[1;5C", "right"],
    ["\u001b[1~", "home"],
    ["\u001b[4~", "end"],
    ["\u001b[6~", "pageDown"],
    ["\u001b[15~", "unknown"],
    ["\u0003", "interrupt"],
    ["\u0004", "endOfInput"],
    ["\u001a", "unknown"]
  ])("%j is %s, in one piece or byte by byte", async (sent, name) => {
    expect(await pressed(sent)).toEqual([{ name }])
    expect(await pressed(...sent)).toEqual([{ name }])
  })

  it("an escape alone is the key of that name, once nothing follows in time", async () => {
    expect(await pressed("\u001b", "late")).toEqual([{ name: "escape" }])
    expect(await pressed("\u001b", "late", "x")).toEqual([{ name: "escape" }, text("x")])
    expect(await pressed("\u001b", "[A")).toEqual([{ name: "up" }])
    expect(await pressed("\u001b\u001b[A")).toEqual([{ name: "escape" }, { name: "up" }])
  })

  it("what is pasted is text, with its line breaks, and presses no key", async () => {
    const pasted = "\u001b[200~y\r\nrm\u0003\u001b[A\u001b[201~"
    expect(await pressed(pasted, "\r")).toEqual([text("y rm [A", true), { name: "enter" }])
    expect(await pressed(...pasted)).toEqual([text("y rm [A", true)])
  })

  it("whatever a terminal sends, in whatever pieces, is taken up and ends", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.oneof(
            fc.string({ maxLength: 4 }),
            fc.constantFrom(
              "\u001b",
              "\u001b[",
              "\u001b[200~",
              "\u001b[201~",
              "\u001bO",
              "\u0003",
              "1;2",
              "~"
            )
          ),
          { maxLength: 8 }
        ),
        async (sent) => {
          await pressed(...sent.filter((one) => one !== "").map((one): Typed => ({ text: one })))
        }
      ),
      { numRuns: times(100) }
    )
    expect(firstKey("\u001b[", false)).toBeUndefined()
    expect(firstKey("\u001b[", true)).toEqual([{ name: "escape" }, 1])
  })
})

describe("keys that are forgotten", () => {
  /** A keyboard that has these texts ready, and drops the others when it is told to. */
  const keyboard = (before: ReadonlyArray<string>, after: ReadonlyArray<string>) => {
    const waiting = [...before]
    return keysOf({
      read: async () => {
        const text = waiting.shift()
        return text === undefined ? "ended" : { text }
      },
      forget: async () => {
        waiting.splice(0, waiting.length, ...after)
      },
      close: () => {}
    })
  }

  it.each([
    ["the rest of what came with a key", ["j\r"], ["x"], text("x")],
    ["what waits to be read", ["j", "y", "\r"], ["x"], text("x")],
    ["nothing of a paste but that it is one", ["j\u001b[200~y\r"], ["y\r\u001b[201~"], text("y ", true)],
    ["everything but Ctrl-C", ["jy\r\u0003y"], ["x"], { name: "interrupt" }]
  ])("are %s", async (_what, before, after, expected) => {
    const { forget, next } = keyboard(before, after)
    expect(await next()).toEqual(text(before[0]?.startsWith("jy") === true ? "jy" : "j"))
    await forget()
    expect(await next()).toEqual(expected)
  })
})

describe("a line", () => {
  const typed = (...all: ReadonlyArray<Key>) => all.reduce(edited, emptyLine)

  it("is edited by characters as a reader takes them", () => {
    const family = "👩‍👩‍👧"
    expect(textOf(typed(text(`aé${family}日`), { name: "backspace" }, { name: "backspace" }))).toBe("aé")
    expect(
      textOf(typed(text("e"), text("\u0301"), text("x"), { name: "backspace" }, { name: "backspace" }))
    ).toBe("")
    expect(
      textOf(typed(text("abc"), { name: "left" }, { name: "left" }, text("X"), { name: "delete" }))
    ).toBe("aXc")
    expect(textOf(typed(text("one two  "), { name: "eraseWord" }))).toBe("one ")
    expect(textOf(typed(text("abc"), { name: "home" }, text("<"), { name: "end" }, text(">")))).toBe("<abc>")
    expect(textOf(typed(text("abc"), { name: "left" }, { name: "clear" }))).toBe("c")
  })

  it("that is longer than the screen is shown around its cursor, and never wider than there is room", () => {
    const character = fc.constantFrom("a", "日", "é", "👩‍👩‍👧", "\u202e", " ")
    fc.assert(
      fc.property(
        fc.array(character),
        fc.array(character),
        fc.integer({ min: 8, max: 40 }),
        (a, b, width) => {
          const line = { before: graphemes(a.join("")), after: graphemes(b.join("")) }
          const [shown, cursor] = windowOf(line, width)
          expect(widthOf(shown)).toBeLessThanOrEqual(width)
          expect(cursor).toBeLessThan(width)
        }
      ),
      { numRuns: times(100) }
    )
  })

  it("is what was typed before Enter", async () => {
    const tty = new FakeTty(["~/Wörk", "\u001b[D", "\u001b[200~ä b\u001b[201~", "\r"])
    expect(await talk(tty, (one) => askLine(one, "in: "))).toBe("~/Wörä bk")
    expect(tty.taken).toBe(0)
  })

  it.each([
    [[keys.escape, "late"], "escaped"],
    [["abc", keys.interrupt], "interrupted"],
    [[keys.endOfInput], "ended"],
    [["abc", keys.endOfInput, "ended"], "ended"],
    [["abc"], "ended"]
  ] as const)("%j is no answer: %s", async (typed, unanswered) => {
    const tty = new FakeTty(typed as ReadonlyArray<string>)
    expect(await talk(tty, (one) => askLine(one, "? "))).toEqual({ unanswered })
    expect(tty.taken).toBe(0)
  })
})

describe("a question", () => {
  it.each([
    ["y", true],
    ["YES", true],
    [" y ", true],
    ["", false],
    ["n", false],
    ["yy", false],
    ["yes please", false],
    ["j", false]
  ])("%j is %s", async (answer, expected) => {
    expect(await talk(new FakeTty([answer, "\r"]), (one) => confirm(one, "Grant this?"))).toBe(expected)
  })

  it("is not answered by a paste with a line break in it", async () => {
    const tty = new FakeTty(["\u001b[200~y\n\u001b[201~"])
    expect(await talk(tty, (one) => confirm(one, "Grant this?"))).toEqual({ unanswered: "ended" })
  })

  it("ends when the program is told to, without a key, and gives the keyboard back", async () => {
    const stop = new AbortController()
    const tty = new FakeTty([])
    const waits = {
      ...tty,
      size: tty.size,
      write: tty.write,
      open: () => ({ ...tty.open(), read: () => new Promise<Typed>(() => {}) })
    }
    const answer = dialogue(around(stop.signal), waits, (one) => confirm(one, "Grant this?"))
    stop.abort()
    expect(await answer).toEqual({ unanswered: "interrupted" })
    expect(tty.taken).toBe(0)
  })

  it("gives the keyboard back when something fails", async () => {
    const tty = new FakeTty([])
    await expect(talk(tty, () => Promise.reject(new Error("broken")))).rejects.toThrow("broken")
    expect(tty.taken).toBe(0)
  })
})

const choice = (name: string, label = "low"): Choice<string> => ({
  value: name,
  name,
  label,
  paint: (given) => given,
  about: `about ${name}`,
  detail: `${name} in detail`
})

const many = Array.from({ length: 40 }, (_, index) => choice(`item-${index}`))

describe("a list", () => {
  const picked = (typed: ReadonlyArray<string>, all = many, size = {}) => {
    const tty = new FakeTty(typed, size)
    return talk(tty, (one) => pick(one, "Pick", all)).then((answer) => ({ answer, tty }))
  }

  it.each([
    [[keys.enter], "item-0"],
    [[keys.down, keys.down, keys.up, keys.enter], "item-1"],
    [["jjj", "k", keys.enter], "item-2"],
    [[keys.up, keys.enter], "item-0"],
    [[keys.end, keys.down, keys.enter], "item-39"],
    [[keys.end, keys.home, keys.enter], "item-0"],
    [["\u001b[6~", keys.enter], "item-10"],
    [["item-37", keys.enter], "item-37"],
    [["item-37", keys.backspace, keys.down, keys.enter], "item-30"],
    [["nothing", keys.enter, "\u0015", keys.enter], "item-0"]
  ])("%j picks %s", async (typed, expected) => {
    const { answer, tty } = await picked(typed)
    expect(answer).toBe(expected)
    expect(tty.taken).toBe(0)
  })

  it.each([
    [[keys.escape, "late"], "escaped"],
    [[keys.interrupt], "interrupted"],
    [[], "ended"]
  ])("%j leaves it: %s, with the cursor to be seen", async (typed, unanswered) => {
    const { answer, tty } = await picked(typed)
    expect(answer).toEqual({ unanswered })
    expect(tty.shown.lastIndexOf("\u001b[?25h")).toBeGreaterThan(tty.shown.lastIndexOf("\u001b[?25l"))
  })

  it("is never wider or longer than the screen, and shows where the cursor is", () => {
    const plainly = terminal({ isTTY: true, columns: 80, env: { NO_COLOR: "1" } })
    fc.assert(
      fc.property(
        fc.integer({ min: 10, max: 120 }),
        fc.integer({ min: 3, max: 60 }),
        fc.array(fc.constantFrom<Key>({ name: "down" }, { name: "pageDown" }, { name: "end" }, text("1")), {
          maxLength: 12
        }),
        (columns, rows, pressed) => {
          const state = pressed.reduce<State<string>>(moved, { all: many, filter: emptyLine, at: 0 })
          const drawn = lines(state, "Pick", plainly, { columns, rows })
          expect(drawn.length).toBeLessThan(rows)
          for (const line of drawn) expect(widthOf(line)).toBeLessThan(columns)
          const cursors = drawn.filter((line) => line.startsWith("›"))
          // Nothing has three of them in its name.
          expect(cursors.length).toBe(pressed.filter(({ name }) => name === "text").length > 2 ? 0 : 1)
        }
      ),
      { numRuns: times(200) }
    )
  })

  it("is erased when it is over", async () => {
    const { tty } = await picked([keys.down, keys.enter], many, { rows: 12 })
    // As many rows up as were drawn, each time.
    const drawn = lines(
      { all: many, filter: emptyLine, at: 1 },
      "Pick",
      terminal({ isTTY: true, columns: 80, env: {} }),
      { columns: 80, rows: 12 }
    )
    expect(tty.shown.endsWith(`\r\u001b[${drawn.length}A\u001b[J\u001b[?25h`)).toBe(true)
  })
})

describe("rows", () => {
  const all = [
    {
      label: "high",
      tone: "red" as const,
      title: `net.get{hosts=[${"long.example.com,".repeat(6)}]}`,
      detail: ["fetch from there"]
    },
    { mark: "warning" as const, label: "low", title: "records.read", detail: ["read", "(by default)"] }
  ]

  it.each([40, 60, 80, 120])("fit a terminal of %i columns, and lose nothing", (columns) => {
    const drawn = rows(terminal({ isTTY: true, columns, env: { NO_COLOR: "1" } }), all)
    for (const line of drawn.split("\n")) expect(widthOf(line)).toBeLessThanOrEqual(columns)
    expect(drawn.replace(/\s+/g, "")).toContain(all[0]?.title)
  })

  it("are one line each in a pipe, however long, without colours", () => {
    expect(rows(terminal({ isTTY: false, columns: undefined, env: {} }), all)).toBe(
      `high  ${all[0]?.title}  fetch from there\n! low  records.read  read  (by default)\n`
    )
  })

  it("have the colour of their risk in a terminal, and none with NO_COLOR", () => {
    const colour = rows(terminal({ isTTY: true, columns: 80, env: {} }), all)
    expect(colour).toContain("\u001b[31m")
    expect(plain(colour)).toBe(rows(terminal({ isTTY: true, columns: 80, env: { NO_COLOR: "1" } }), all))
  })

  it("do not let a value move the cursor", () => {
    const drawn = rows(terminal({ isTTY: true, columns: 80, env: { NO_COLOR: "1" } }), [
      { title: "a\u001b[2Jb\u202e" }
    ])
    expect(drawn).toBe("a\\u001b[2Jb\\u202e\n")
  })
})

describe("progress", () => {
  const shown = (isTTY: boolean, total: number) => {
    let written = ""
    const one = progress(
      { stderr: { isTTY, columns: 60, write: (given) => (written += given) } },
      "reading records",
      total
    )
    for (let done = 0; done <= total; done++) one.at(done)
    one.end()
    return written
  }

  it("is a line on a terminal that goes away, and is written at most once for each percent", () => {
    const written = shown(true, 10_000)
    expect(written).toContain("reading records: 5000 of 10000 (50%)")
    expect(written.endsWith("\r\u001b[K")).toBe(true)
    expect(written.split("\r").length).toBeLessThan(110)
  })

  it("is nothing in a pipe, and nothing for little work", () => {
    expect(shown(false, 10_000)).toBe("")
    expect(shown(true, 100)).toBe("")
  })
})
