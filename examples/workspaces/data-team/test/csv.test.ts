import { describe, expect, it } from "vitest"
import { print, Rows } from "../tools/csv.ts"

const read = (text: string, piece = text.length) => {
  const rows = new Rows()
  for (let at = 0; at < text.length; at += piece) rows.add(text.slice(at, at + piece))
  rows.end()
  return rows.taken()
}

const TEXT = '\uFEFFa,b\r\n1,"x, ""y""\nz"\r\n\n2,\n3,last'

describe("a CSV file", () => {
  it("is read the same in pieces of any size", () => {
    const whole = read(TEXT)
    expect(whole).toEqual([
      { a: "1", b: 'x, "y"\nz' },
      { a: "2", b: "" },
      { a: "3", b: "last" }
    ])
    for (const piece of [1, 2, 3, 7]) expect(read(TEXT, piece)).toEqual(whole)
  })

  it.each([
    ["a,b\n1\n", "row 1: it has 1 fields, and there are 2 columns"],
    ['a\n"1', "row 0: a quoted field does not end"],
    ['a\n"1"2\n', "row 0: something follows a quoted field"]
  ])("that is broken says where: %j", (text, message) => {
    expect(() => read(text)).toThrow(message)
  })

  it("is printed so that it is read back, and runs nothing in a spreadsheet", () => {
    const text = print(
      ["a", "b"],
      [
        ["1,5", 'say "x"'],
        ["=HYPERLINK(1)", "-3"]
      ]
    )
    expect(read(text)).toEqual([
      { a: "1,5", b: 'say "x"' },
      { a: "'=HYPERLINK(1)", b: "-3" }
    ])
  })

  it("may have columns that every object has", () => {
    expect(read("__proto__,toString\n1,2\n")).toHaveLength(1)
  })
})
