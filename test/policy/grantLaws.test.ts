/** What holds for every grant: it reads back from each of its forms as the same, and several give what each gives. */

import { Either, FastCheck as fc } from "effect"
import { describe, expect, it } from "vitest"
import * as Grant from "../../src/policy/grant/Grant.js"
import * as Authority from "../../src/policy/lattice/Authority.js"
import { hasControl } from "../../src/policy/text/Quote.js"
import { readYaml } from "../../src/policy/text/StrictYaml.js"
import { codePoint } from "../codePoints.js"
import { times } from "../deep.js"
import { authority, equal, HOME, record, right } from "./agents.js"
import * as drawn from "./grants.js"

const RUNS = { numRuns: times(300) }

/** Text that every form has a meaning for: commas, brackets, blanks, backslashes, quotes, and letters of all kinds. */
const text = fc
  .string({
    unit: fc.oneof(
      fc.constantFrom(
        ..."ab .,;:=[]{}\\\"'`#&*!|>%@?-~$()<>^+/",
        "é",
        "字",
        "🦊",
        "\u00a0",
        "\ufeff",
        "\u3000",
        "\ud800"
      ),
      fc.string({ unit: codePoint, minLength: 1, maxLength: 1 })
    ),
    maxLength: 12
  })
  .map((inner) => `a${inner}`)

const anyText: fc.Arbitrary<Grant.Grant> = fc
  .oneof(
    fc.array(text, { maxLength: 4 }).map((classes) => Grant.make("records.create", { classes })),
    fc
      .tuple(text, fc.array(text, { maxLength: 3 }))
      .map(([root, paths]) => Grant.make("fs.read", { in: `/${root}`, paths })),
    fc.array(text, { maxLength: 3 }).map((patterns) => Grant.make("proc.exec", { in: "~", patterns })),
    text.map((id) => Grant.make("agent.update", { id, ids: [id, `${id} `] }))
  )
  .filter(Either.isRight)
  .map(({ right: grant }) => grant)

const grant = fc.oneof(drawn.grant, anyText)

const fromYaml = (yaml: string): Grant.Grant => {
  const read = readYaml(`- ${yaml}\n`)
  const list = Either.isRight(read) ? read.right : undefined
  const [item] = list?._tag === "List" ? list.items : []
  if (item === undefined) throw new Error(`not a list: ${JSON.stringify(read)}`)
  return right(Grant.fromYaml(item))
}

describe("every grant", () => {
  it("reads back from its one-line form as the same, and prints alike", () => {
    fc.assert(
      fc.property(grant, (one) => {
        const printed = Grant.print(one)
        const again = right(Grant.parse(printed))
        expect(again).toEqual(one)
        expect(Grant.print(again)).toBe(printed)
      }),
      RUNS
    )
  })

  it("reads back from a list of one-line forms", () => {
    fc.assert(
      fc.property(
        fc.array(grant, { maxLength: 4 }),
        fc.constantFrom(" ", ",", " , ", "\n"),
        (all, between) => {
          const read = Grant.parseAll(all.map(Grant.print).join(between)).map(right)
          expect(read).toEqual(all)
        }
      ),
      RUNS
    )
  })

  it("reads back from its YAML as the same, in one line", () => {
    fc.assert(
      fc.property(grant, (one) => {
        const yaml = Grant.toYaml(one)
        expect(yaml).not.toMatch(/[\n\r\u0085\u2028\u2029]/)
        expect(fromYaml(yaml)).toEqual(one)
        expect(fromYaml(JSON.stringify(Grant.print(one)))).toEqual(one)
      }),
      RUNS
    )
  })

  it("a value that opens brackets and never closes them is still read back", () => {
    const one = right(
      Grant.make("records.create", { classes: ["[".repeat(200), "}".repeat(200), ": ".repeat(250)] })
    )
    expect(fromYaml(Grant.toYaml(one))).toEqual(one)
    expect(right(Grant.parse(Grant.print(one)))).toEqual(one)
  })

  it("no text that is no grant throws, and its refusal is one line", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: codePoint }),
          fc
            .array(fc.constantFrom("net.get", "{", "}", "[", "]", "=", ",", "\\", " ", "hosts", "a"), {
              maxLength: 14
            })
            .map((all) => all.join(""))
        ),
        (given) => {
          const read = Grant.parse(given)
          if (Either.isLeft(read)) expect(hasControl(read.left.message)).toBe(false)
          else expect(right(Grant.parse(Grant.print(read.right)))).toEqual(read.right)
          for (const one of Grant.parseAll(given)) {
            if (Either.isLeft(one)) expect(hasControl(one.left.message)).toBe(false)
          }
        }
      ),
      RUNS
    )
  })
})

describe("several grants", () => {
  it("give together what each gives alone", () => {
    fc.assert(
      fc.property(fc.array(drawn.grant, { maxLength: 4 }), drawn.root, (all, sandbox) => {
        const specs = all.map(Grant.print)
        const each = specs.map((one) => authority([one], { sandbox }))
        expect(equal(authority(specs, { sandbox }), Authority.joinAll(each))).toBe(true)
      }),
      RUNS
    )
  })

  it("never reach beyond the root of the workspace or of the agent, in files and commands", () => {
    let held = 0
    fc.assert(
      fc.property(
        fc.array(drawn.grant, { minLength: 1, maxLength: 4 }),
        fc.constantFrom("/w", "/w/a", "~/p", "/x"),
        fc.option(fc.constantFrom("/w", "/w/a/b", "~", '"/"', "/etc", "~/p/q"), { nil: undefined }),
        (all, common, own) => {
          const agent = record(
            `capabilities: ${JSON.stringify(all.map(Grant.print))}${own === undefined ? "" : `\nsandbox: ${own}`}`,
            { sandbox: common }
          )
          const tree = (root: string) =>
            authority(
              ["fs.read", "fs.write", "fs.delete", "proc.exec", "proc.eval"].map(
                (name) => `${name}{in=${root}}`
              )
            )
          const touched = Authority.pick(agent.authority, "files", "process")
          if (!Authority.isNothing(touched)) held++
          expect(Authority.within(touched, tree(common))).toBe(true)
          expect(Authority.within(touched, tree(agent.root ?? ""))).toBe(true)
          expect(agent.root?.startsWith(common.replace("~", HOME))).toBe(true)
        }
      ),
      RUNS
    )
    expect(held).toBeGreaterThan(RUNS.numRuns / 10)
  })
})
