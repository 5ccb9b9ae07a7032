/**
 * HTML as text to read: title, headings, paragraphs, lists, tables, and links with where they lead. It works from the
 * tokens, in one pass and without a tree, so that no nesting costs more than its length.
 */
import { Effect } from "effect"
import { attributes as known } from "./markup.js"
import { PageReader } from "./reader.js"

export interface Page {
  readonly title: string | undefined
  readonly text: string
  readonly truncated: boolean
}

const HTML_LIMIT = 5_000_000
const ATTRIBUTE_LIMIT = 4096

const load = Effect.promise(() => import("htmlparser2"))

/** The parser is loaded with the first page that needs it. */
export const htmlText = (given: string, url: string): Effect.Effect<Page> =>
  Effect.map(load, ({ Tokenizer }) => {
    const html = given.slice(0, HTML_LIMIT)
    const reader = new PageReader(url)
    let name = ""
    let attribute = ""
    let value = ""
    let attributes = new Map<string, string>()
    const nameOf = (start: number, end: number) => html.slice(start, Math.min(end, start + 32)).toLowerCase()
    const add = (text: string) => {
      if (known.has(attribute) && value.length < ATTRIBUTE_LIMIT) value += text.slice(0, ATTRIBUTE_LIMIT)
    }
    const read = (text: string) => {
      reader.text(text)
      if (reader.page.isFull) tokenizer.pause()
    }
    const tokenizer = new Tokenizer(
      {},
      {
        onopentagname: (start, end) => {
          name = nameOf(start, end)
          attributes = new Map()
        },
        onattribname: (start, end) => {
          attribute = nameOf(start, end)
          value = ""
        },
        onattribdata: (start, end) => add(html.slice(start, Math.min(end, start + ATTRIBUTE_LIMIT))),
        onattribentity: (code) => add(String.fromCodePoint(code)),
        onattribend: () => {
          if (known.has(attribute) && value.length < ATTRIBUTE_LIMIT && !attributes.has(attribute)) {
            attributes.set(attribute, value)
          }
        },
        onopentagend: () => reader.open(name, attributes),
        onselfclosingtag: () => {
          reader.open(name, attributes)
          if (reader.isForeign) reader.close(name)
        },
        onclosetag: (start, end) => reader.close(nameOf(start, end)),
        ontext: (start, end) => read(html.slice(start, end)),
        ontextentity: (code) => read(String.fromCodePoint(code)),
        oncdata: () => {},
        oncomment: () => {},
        ondeclaration: () => {},
        onprocessinginstruction: () => {},
        onend: () => {},
        isInForeignContext: () => reader.isForeign
      }
    )
    tokenizer.write(html)
    tokenizer.end()
    const title = reader.title.toString()
    return {
      title: title === "" ? undefined : title,
      text: reader.page.toString(),
      truncated: reader.page.isFull || given.length > HTML_LIMIT
    }
  })
