/** The page on built-in tools names all of them, with the arguments and the declaration that each has. */
import { expect, it } from "vitest"
import { Builtin, Tool } from "../../src/index.js"
import { prose, quoted, table } from "./page.js"

const PAGE = "docs/builtin-tools.md"

const builtins: ReadonlyArray<Tool.Any> = Builtin.builtins

const argumentsOf = (tool: Tool.Any): string => {
  const { properties = {}, required = [] } = Tool.jsonSchema(tool) as {
    readonly properties?: Readonly<Record<string, unknown>>
    readonly required?: ReadonlyArray<string>
  }
  return Object.keys(properties)
    .map((name) => (required.includes(name) ? name : `${name}?`))
    .join(", ")
}

it("every built-in tool stands in the table as it is", () => {
  const written = table(PAGE, "Tool", "Arguments", "Declares").map(([name, args, declares]) => ({
    name: quoted(name)[0],
    arguments: quoted(args)[0] ?? "",
    declares: quoted(declares)
  }))
  expect(written).toEqual(
    builtins.map((tool) => ({
      name: tool.name,
      arguments: argumentsOf(tool),
      declares: [...Tool.surface(tool)]
    }))
  )
})

it("every built-in tool has a section of its own, or shares one", () => {
  const headings = [...prose(PAGE).matchAll(/^## (.+)$/gm)].flatMap(([, words = ""]) => words.split(", "))
  expect(headings).toEqual(expect.arrayContaining(builtins.map(({ name }) => name)))
})
