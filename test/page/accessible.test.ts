/** The page for everybody: in light and dark, on a phone, on paper, with a keyboard, and read aloud. */
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { afterEach, describe, expect, it } from "vitest"
import type { Tab, Viewport } from "../../scripts/browser/Tab.js"
import { inBrowser, texts, WIDE } from "./inBrowser.js"

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

const PHONE: Viewport = { width: 360, height: 740 }

interface Findings {
  readonly violations: ReadonlyArray<{
    readonly id: string
    readonly nodes: ReadonlyArray<{ readonly html: string; readonly failureSummary: string }>
  }>
}

/** What the checker finds wrong, each in a line. */
const findings = async (tab: Tab): Promise<ReadonlyArray<string>> => {
  await tab.evaluate(`${axe}; 0`)
  const { violations } = await tab.evaluate<Findings>(
    "axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => ({ violations }))"
  )
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ failureSummary, html }) => `${id}: ${html}: ${failureSummary}`)
  )
}

inBrowser("the page of an audit log", ({ sample, tab: newTab }) => {
  let open: Tab | undefined

  afterEach(async () => {
    expect(open?.complaints).toEqual([])
    await open?.close()
    open = undefined
  })

  const opened = async (view: Viewport, scheme: string, hash = ""): Promise<Tab> => {
    const { url } = await sample()
    const tab = await newTab(view)
    open = tab
    await tab.media({ "prefers-color-scheme": scheme, "prefers-reduced-motion": "reduce" })
    await tab.open(`${url}${hash}`)
    await tab.until("document.querySelector('.bar') !== null")
    await tab.drawn()
    return tab
  }

  const looks = [
    ["light", WIDE],
    ["dark", WIDE],
    ["light", PHONE],
    ["dark", PHONE]
  ] as const

  describe("has nothing that a checker of accessibility finds wrong", () => {
    for (const [scheme, view] of looks) {
      it(`in ${scheme}, ${view.width} wide`, async () => {
        const tab = await opened(view, scheme, "#denied=1&q=example&since=30d")
        await tab.evaluate("document.querySelector('.as-table').open = true")
        expect(await findings(tab)).toEqual([])
      })

      it(`in ${scheme}, ${view.width} wide, with the grants of a cell`, async () => {
        const tab = await opened(view, scheme)
        await tab.evaluate("document.querySelector('.cell.high.used').click()")
        await tab.until("document.querySelector('dialog[open]') !== null")
        expect(await findings(tab)).toEqual([])
      })

      it(`in ${scheme}, ${view.width} wide, with a decision`, async () => {
        const tab = await opened(view, scheme, "#denied=1")
        await tab.evaluate("document.querySelector('.whole .row').click()")
        await tab.until("document.querySelector('dialog[open]') !== null")
        expect(await findings(tab)).toEqual([])
      })
    }
  })

  it("would be found wrong by that checker with a picture that has no words", async () => {
    const tab = await opened(WIDE, "light")
    await tab.evaluate("document.querySelector('main').append(document.createElement('img'))")
    expect((await findings(tab)).map((one) => one.split(":")[0])).toEqual(["image-alt"])
  })

  it("is as dark as the reader's system, unless the reader says otherwise", async () => {
    const tab = await opened(WIDE, "dark")
    const ground = () => tab.evaluate<string>("getComputedStyle(document.body).backgroundColor")
    const dark = await ground()
    await tab.evaluate("document.querySelectorAll('.themes input')[1].click()")
    await tab.until("document.documentElement.dataset.theme === 'light'")
    expect(await ground()).not.toBe(dark)
    // From the beginning: before anything is drawn.
    await tab.send("Page.addScriptToEvaluateOnNewDocument", {
      source:
        "document.addEventListener('DOMContentLoaded', () => { window.first = document.documentElement.dataset.theme })"
    })
    await tab.reload()
    expect(await tab.evaluate("window.first")).toBe("light")
    await tab.until("document.documentElement.dataset.theme === 'light'")
    await tab.evaluate("document.querySelectorAll('.themes input')[2].click()")
    await tab.until("document.documentElement.dataset.theme === 'dark'")
    expect(await ground()).toBe(dark)
  })

  it("says how much is at stake by more than a colour", async () => {
    const tab = await opened(WIDE, "light")
    for (const [risk, off] of [
      ["low", 2],
      ["medium", 1],
      ["high", 0]
    ] as const) {
      expect(
        await tab.evaluate(`document.querySelector('.cell.${risk} .bars').querySelectorAll('.off').length`)
      ).toBe(off)
    }
    expect(await texts(tab, ".verdict.allowed")).toContain("allowed")
  })

  it("fits on a phone: the page itself is not scrolled sideways", async () => {
    const tab = await opened(PHONE, "light", "#at=decisions")
    const widest = () => tab.evaluate<number>("document.documentElement.scrollWidth")
    expect(await widest()).toBe(PHONE.width)
    // Nothing reaches beyond the edge and is cut off there, but for what ends in dots and is whole in its dialog.
    expect(
      await tab.evaluate(`[...document.querySelectorAll("main *")]
        .filter((one) => one.getClientRects().length > 0 && one.closest(".hidden, .ways, thead, .head, .c-capability, svg, .row bdi") === null)
        .filter((one) => one.getBoundingClientRect().right > innerWidth + 1)
        .map((one) => one.outerHTML.slice(0, 200))`)
    ).toEqual([])
    await tab.evaluate("document.querySelector('.cell').click()")
    await tab.until("document.querySelector('dialog[open]') !== null")
    expect(await widest()).toBe(PHONE.width)
  })

  it("opens a decision on a phone by a touch, and a stretch of time by a drag", async () => {
    const tab = await opened(PHONE, "light")
    const { x, y } = await tab.placeOf(".whole .row")
    await tab.send("Emulation.setTouchEmulationEnabled", { enabled: true })
    await tab.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: [{ x, y }] })
    await tab.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] })
    await tab.until("document.querySelector('dialog[open]') !== null")
    await tab.press("Escape")
    await tab.until("document.querySelector('dialog') === null")
    const place = await tab.placeOf(".timeline")
    for (const [type, at] of [
      ["touchStart", 0],
      ["touchMove", 30],
      ["touchMove", 80]
    ] as const) {
      await tab.send("Input.dispatchTouchEvent", { type, touchPoints: [{ x: place.x + at, y: place.y }] })
    }
    await tab.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] })
    await tab.until("location.hash.startsWith('#since=')")
  })

  it("is read in the order in which it is seen, with one heading for each part", async () => {
    const tab = await opened(WIDE, "light")
    expect(await texts(tab, "h1")).toHaveLength(1)
    expect(
      await tab.evaluate(
        "[...document.querySelectorAll('header, nav, main, section, search')].map((one) => one.tagName.toLowerCase())"
      )
    ).toEqual(["header", "nav", "main", "section", "section", "section", "section", "section", "search"])
    expect(await tab.evaluate("document.documentElement.lang")).toBe("en")
    // What is read aloud is said once the page is drawn.
    await tab.until("document.querySelector('[role=status]').textContent !== ''")
    expect(await texts(tab, "[role=status]")).toEqual(await texts(tab, ".result"))
    const table = await texts(tab, ".as-table tbody tr")
    expect(table.length).toBeGreaterThan(5)
  })

  it("shows where the focus is, at every stop of the tabulator", async () => {
    const tab = await opened(WIDE, "light")
    await tab.evaluate("document.activeElement.blur()")
    const stops: Array<string> = []
    for (let at = 0; at < 30; at++) {
      await tab.press("Tab")
      const { isShown, name } = await tab.evaluate<{ isShown: boolean; name: string }>(`(() => {
        const one = document.activeElement
        const ringed = [one, one.nextElementSibling].filter((each) => each !== null)
        return {
          isShown: ringed.some((each) => getComputedStyle(each).outlineStyle !== "none") || one === document.body,
          name: one.ariaLabel ?? one.className ?? one.tagName
        }
      })()`)
      expect([name, isShown]).toEqual([name, true])
      stops.push(name)
    }
    expect(stops.some((name) => name.startsWith("Timeline of calls"))).toBe(true)
  })

  it("is walked on a phone by its keyboard: the matrix has a stop, and arrows go to each cell that is seen", async () => {
    const tab = await opened(PHONE, "light")
    const isSeen = "document.activeElement.getClientRects().length > 0"
    await tab.evaluate("document.querySelector('.matrix [tabindex=\"0\"]').focus()")
    const cells = await tab.evaluate<number>(
      "[...document.querySelectorAll('.matrix button')].filter((one) => one.getClientRects().length > 0).length"
    )
    const reached = new Set<string>()
    /** The cell that has the focus, if it is seen. */
    const cell = (): Promise<string> =>
      tab.evaluate(
        `${isSeen} && document.activeElement.tagName === "BUTTON" ? [document.activeElement.closest("tr").rowIndex, document.activeElement.textContent].join(" ") : ""`
      )
    /** As long as the key leads on. */
    const along = async (key: string, each: () => Promise<void>): Promise<void> => {
      for (let last = ""; last !== (await cell()); await tab.press(key)) {
        last = await cell()
        expect(last).not.toBe("")
        await each()
      }
    }
    await along("ArrowDown", async () => {
      await tab.press("Home")
      await along("ArrowRight", async () => void reached.add(await cell()))
    })
    expect(reached.size).toBe(cells)
  })

  it("ends each line of a list where the others end, on a phone", async () => {
    const tab = await opened(PHONE, "light")
    const ends = await tab.evaluate<ReadonlyArray<number>>(
      `[...document.querySelectorAll(".row:not(.head) :is(.c-time, .c-verdict)")].map((one) => {
        const range = document.createRange()
        range.selectNodeContents(one)
        return Math.round(range.getBoundingClientRect().right)
      })`
    )
    expect(ends.length).toBeGreaterThan(3)
    expect(new Set(ends).size).toBe(1)
  })

  it("is printed whole and light, with the decisions as a table, and without what only a screen can do", async () => {
    const tab = await opened(WIDE, "dark", "#denied=1")
    await tab.media({ "prefers-color-scheme": "dark" }, "print")
    await tab.until("document.querySelector('.printed table') !== null")
    const isShown = (selector: string) =>
      tab.evaluate<boolean>(`document.querySelector(${JSON.stringify(selector)}).getClientRects().length > 0`)
    for (const selector of [".ways", ".themes", ".filters", ".list"])
      expect(await isShown(selector)).toBe(false)
    for (const selector of [".matrix", ".timeline", ".holder", ".tools", ".printed"]) {
      expect(await isShown(selector)).toBe(true)
    }
    expect(await texts(tab, ".tools tbody .who")).toContain("grant_capability")
    const { entries } = await sample()
    const refused = entries.filter((entry) => entry.type === "decision" && !entry.allowed)
    expect(await texts(tab, ".printed tbody tr")).toHaveLength(refused.length)
    expect(await tab.evaluate("getComputedStyle(document.body).backgroundColor")).toBe("rgb(255, 255, 255)")
    const { data } = (await tab.send("Page.printToPDF", { paperWidth: 8.27, paperHeight: 11.69 })) as {
      data: string
    }
    expect(Buffer.from(data, "base64").subarray(0, 5).toString()).toBe("%PDF-")
  })
})
