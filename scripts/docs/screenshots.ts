/** `npm run docs:screenshots`: pictures of the audit page of a made-up workspace, in light and dark. Needs Debian's chromium. */
import { mkdirSync, realpathSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { pageOf } from "../../src/cli/commands/audit/page/Page.js"
import { Chromium } from "../browser/Chromium.js"
import type { Tab } from "../browser/Tab.js"
import { root, withFolder } from "../lib/project.js"
import { sampleEntries, samplePage, writeSample } from "../page/sample.js"
import { smallPng } from "./smallPng.js"

const CALLS = 4200

interface Picture {
  readonly name: string
  readonly scheme: "light" | "dark"
  readonly width: number
  readonly height: number
  readonly hash?: string
  /** What is done before, as an expression. */
  readonly first?: string
  /** From which element on; from the top otherwise. */
  readonly from?: string
}

const pictures: ReadonlyArray<Picture> = [
  { name: "audit-light", scheme: "light", width: 1240, height: 1330 },
  { name: "audit-dark", scheme: "dark", width: 1240, height: 1330 },
  {
    name: "audit-decisions",
    scheme: "light",
    width: 1240,
    height: 640,
    hash: "#denied=1&q=example.net",
    from: "#decisions"
  },
  {
    name: "audit-grants",
    scheme: "dark",
    width: 1240,
    height: 760,
    first:
      "[...document.querySelectorAll('.matrix button')].find((one) => one.textContent.includes('process.exec: high')).click()"
  }
]

const take = async (tab: Tab, url: string, picture: Picture): Promise<Buffer> => {
  const { first, from, hash = "", height, scheme, width } = picture
  await tab.view({ width, height })
  await tab.media({ "prefers-color-scheme": scheme, "prefers-reduced-motion": "reduce" })
  await tab.open("about:blank")
  await tab.open(`${url}${hash}`)
  await tab.until("document.querySelector('.bar') !== null")
  if (first !== undefined) await tab.evaluate(first)
  if (from !== undefined) {
    await tab.evaluate(
      `document.querySelector(${JSON.stringify(from)}).scrollIntoView({ behavior: "instant" })`
    )
  }
  await tab.drawn()
  return tab.screenshot()
}

await withFolder(realpathSync(tmpdir()), async (folder) => {
  writeSample(folder)
  const entries = sampleEntries(folder, CALLS)
  const file = join(folder, "audit.html")
  writeFileSync(file, await pageOf(await samplePage(folder, entries)))
  const images = join(root, "docs/images")
  mkdirSync(images, { recursive: true })
  const browser = Chromium.start()
  try {
    const tab = await browser.tab()
    await tab.send("Emulation.setTimezoneOverride", { timezoneId: "UTC" })
    for (const picture of pictures) {
      const png = smallPng(await take(tab, pathToFileURL(file).href, picture))
      writeFileSync(join(images, `${picture.name}.png`), png)
      console.log(`docs/images/${picture.name}.png: ${Math.round(png.length / 1000)} kB`)
    }
  } finally {
    await browser.close()
  }
})
