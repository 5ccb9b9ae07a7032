/** What is read of a page, element by element: nothing but the last few things that still matter is remembered. */
import { beginning, blocks, headings, hollow, isHidden, selfEnding, unread } from "./markup.js"
import { PageWriter } from "./writer.js"

const TEXT_LIMIT = 200_000
const TITLE_LIMIT = 300
const LIST_DEPTH = 16

/** Elements whose first words have something before them. */
const begun: ReadonlySet<string> = new Set(["li", "tr", ...headings.keys()])

export class PageReader {
  readonly page = new PageWriter(TEXT_LIMIT)
  readonly title = new PageWriter(TITLE_LIMIT)
  #base: string
  /** One for each open list: its next number, or nothing for bullets. */
  readonly #lists: Array<number | undefined> = []
  #link: { readonly url: string; readonly from: number } | undefined
  #verbatim = 0
  #cells = 0
  #isTitle = false
  /** The element that is passed over, how many of its name are open in it, and how many others. */
  #passed: { readonly name: string; same: number; others: number } | undefined

  constructor(base: string) {
    this.#base = base
  }

  /** Whether what is read here is drawn, with rules of its own. */
  get isForeign(): boolean {
    return this.#passed?.name === "svg" || this.#passed?.name === "math"
  }

  open(name: string, attributes: ReadonlyMap<string, string>): void {
    if (this.#passed !== undefined) {
      const ends =
        (this.#passed.name === "nav" && beginning.has(name)) ||
        (this.#passed.name === name && selfEnding.has(name))
      if (!ends) {
        if (name === this.#passed.name) this.#passed.same += 1
        else if (!hollow.has(name) && !selfEnding.has(name)) this.#passed.others += 1
        return
      }
      this.#passed = undefined
    }
    if (unread.has(name) || (isHidden(attributes) && !hollow.has(name))) {
      this.#passed = { name, same: 0, others: 0 }
      return
    }
    this.#begin(name, attributes)
  }

  close(name: string): void {
    if (this.#passed !== undefined && !this.#endsPassed(this.#passed, name)) return
    if (name === "title") this.#isTitle = false
    if (name === "a") this.#endLink()
    if (name === "pre") this.#verbatim = Math.max(0, this.#verbatim - 1)
    if (name === "ul" || name === "ol") this.#lists.pop()
    const lines = blocks.get(name)
    if (lines !== undefined && begun.has(name)) this.page.end(lines)
    else if (lines !== undefined) this.page.apart(lines)
  }

  text(text: string): void {
    if (this.#passed !== undefined) return
    if (this.#isTitle) this.title.words(text)
    else if (this.#verbatim > 0) this.page.verbatim(text)
    else this.page.words(text)
  }

  /** The end of the element itself, or of one that it was in: what was left open in it does not go further. */
  #endsPassed(passed: { readonly name: string; same: number; others: number }, name: string): boolean {
    if (name === passed.name) {
      if (passed.same > 0) passed.same -= 1
      else this.#passed = undefined
      return false
    }
    if (hollow.has(name) || selfEnding.has(name)) return false
    if (passed.others > 0) {
      passed.others -= 1
      return false
    }
    this.#passed = undefined
    return true
  }

  #begin(name: string, attributes: ReadonlyMap<string, string>): void {
    const lead = name === "li" ? this.#bullet() : name === "tr" ? "" : headings.get(name)
    const lines = blocks.get(name)
    if (lines !== undefined && lead !== undefined) this.page.begin(lines, lead)
    else if (lines !== undefined) this.page.apart(lines)
    if (name === "tr") this.#cells = 0
    else if (name === "td" || name === "th") this.#cell()
    else if (name === "title") this.#isTitle = this.title.length === 0
    else if (name === "pre") this.#verbatim += 1
    else if (name === "ul" || name === "ol") this.#lists.push(name === "ol" ? 1 : undefined)
    else if (name === "base") this.#base = this.#absolute(attributes.get("href")) ?? this.#base
    else if (name === "a") this.#beginLink(attributes.get("href"))
    else if (name === "img") this.#image(attributes.get("alt") ?? "")
  }

  #bullet(): string {
    const depth = Math.min(this.#lists.length, LIST_DEPTH)
    const indent = "  ".repeat(Math.max(0, depth - 1))
    const number = this.#lists.at(-1)
    if (number === undefined) return `${indent}- `
    this.#lists[this.#lists.length - 1] = number + 1
    return `${indent}${number}. `
  }

  #cell(): void {
    if (this.#cells > 0) this.page.beside(" | ")
    this.#cells += 1
  }

  #image(alt: string): void {
    if (alt.trim() !== "") this.page.words(` [image: ${alt.trim()}] `)
  }

  #absolute(href: string | undefined): string | undefined {
    if (href === undefined || href === "" || href.startsWith("#")) return undefined
    try {
      const url = new URL(href, this.#base)
      return ["http:", "https:", "mailto:"].includes(url.protocol) ? url.href : undefined
    } catch {
      return undefined
    }
  }

  #beginLink(href: string | undefined): void {
    this.#endLink()
    const url = this.#absolute(href)
    this.#link = url === undefined ? undefined : { url, from: this.page.length }
  }

  #endLink(): void {
    if (this.#link !== undefined && this.page.length > this.#link.from)
      this.page.verbatim(` (${this.#link.url})`)
    this.#link = undefined
  }
}
