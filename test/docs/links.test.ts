/** Every link between the pages leads somewhere. */
import { existsSync } from "node:fs"
import { posix } from "node:path"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"
import { page, pages, prose } from "./page.js"

/** As renderers of Markdown name the headings of a page. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-")

const anchorsOf = (name: string): ReadonlyArray<string> =>
  [...prose(name).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => anchorOf(heading))

const broken = (from: string): ReadonlyArray<string> =>
  [...prose(from).matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, target = ""]) => {
    if (/^[a-z]+:/.test(target)) return []
    const [path = "", anchor] = target.split("#")
    const name = path === "" ? from : posix.normalize(posix.join(posix.dirname(from), path))
    if (!existsSync(fileURLToPath(new URL(`../../${name}`, import.meta.url)))) return [`${from}: ${target}`]
    return anchor === undefined || anchorsOf(name).includes(anchor) ? [] : [`${from}: ${target}`]
  })

it.each(pages)("%s links to what is there", (name) => {
  expect(broken(name)).toEqual([])
})

it("the index lists every page", () => {
  const index = page("docs/README.md")
  const listed = (name: string) => index.includes(`](${name.slice("docs/".length)})`)
  const others = pages.filter((name) => name.startsWith("docs/") && name !== "docs/README.md")
  expect(others.filter((name) => !listed(name))).toEqual([])
  expect(page("README.md")).toContain("](docs/README.md)")
})
