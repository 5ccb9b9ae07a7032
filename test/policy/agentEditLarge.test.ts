/**
 * Records that name very many things. What is threatened: an edit whose cost grows with the square of what a record
 * names, so that nobody can take anything from the agent any more.
 */
import { describe, expect, it } from "vitest"
import { deep } from "../deep.js"
import { dissolve, file, grant, parse, revoke, right } from "./agents.js"

/** Enough that the square of it would not end before the test does. */
const MANY = deep ? 20_000 : 2_000

const names = Array.from({ length: MANY }, (_, i) => `h${i}.example`)

const shapes: ReadonlyArray<readonly [string, string, string]> = [
  ["hosts of one grant", `  - net.get: { hosts: [${names.join(", ")}] }\n`, "net.get{hosts=[h7.example]}"],
  [
    "one grant for each host",
    names.map((host) => `  - net.get: { hosts: [${host}] }\n`).join(""),
    "net.get{hosts=[h7.example]}"
  ],
  [
    "paths of one grant",
    `  - fs.read: { in: /w, paths: [${names.join(", ")}] }\n`,
    "fs.read{in=/w,paths=[h7.example]}"
  ],
  [
    "refs of one grant",
    `  - secrets.read: { refs: [${names.join(", ")}] }\n`,
    "secrets.read{refs=[h7.example]}"
  ],
  ["ids of one grant", `  - agent.update: { ids: [${names.join(", ")}] }\n`, "agent.update{id=h7.example}"]
]

describe.each(shapes)("a record with very many %s", (_, list, one) => {
  const text = file(`capabilities:\n${list}`)

  it("is read, and one of them is revoked", () => {
    expect(parse(text).warnings).toEqual([])
    const { changed, lost, text: after } = right(revoke(text, one))
    expect({ changed, lost }).toEqual({ changed: true, lost: [] })
    expect(after).not.toContain("h7.example")
    expect(after).toContain(`h${MANY - 1}.example`)
  })
})

describe("a record with very many grants, each with its comment", () => {
  const list = names.map((name, i) => `  - fs.read: { in: /x/${name} } # own ${i}\n`).join("")

  it("is widened, and stays as it is otherwise", () => {
    const text = file(`capabilities:\n${list}`)
    const { lost, text: after } = right(grant(text, ["records.read"]))
    expect(lost).toEqual([])
    expect(after).toBe(text.replace("---\nYou", "  - records.read\n---\nYou"))
  })

  it("names each that goes with the sandbox that is written out", () => {
    const { lost } = right(dissolve(file(`sandbox: /w\ncapabilities:\n${list}`)))
    expect(lost).toHaveLength(MANY)
    expect(lost.at(-1)).toMatchObject({ line: MANY + 4, text: expect.stringContaining(`# own ${MANY - 1}`) })
  })
})
