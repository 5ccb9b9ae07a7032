/**
 * The texts of a mail, in order. Of alternatives that say the same the plain one is read, and HTML is made text here: the
 * parser would do it with patterns that take minutes for tags that do not end.
 */
import { Effect } from "effect"
import type PostalMime from "postal-mime"
import type { Email as Parsed, PostalMimeOptions } from "postal-mime"
import { htmlText } from "../../tools/builtin/page/HtmlText.js"

interface Body {
  readonly plain: Array<string>
  readonly html: Array<string>
}

interface Said {
  readonly type: string
  readonly value: unknown
}

export interface ParsedMail {
  readonly mail: Parsed
  readonly bodies: ReadonlyArray<Body>
}

/** Parses a mail and keeps its texts from being turned into one another. */
export const parseMail = async (
  Parser: typeof PostalMime,
  bytes: Uint8Array,
  options: PostalMimeOptions
): Promise<ParsedMail> => {
  const bodies = new Map<object, Body>()
  const parser = Object.assign(new Parser(options), {
    /** The parser calls it with each text that it finds, and with what holds the alternatives to it. */
    addTextEntry: (holder: object, type: "plain" | "html", { value }: Said): void => {
      const body = bodies.get(holder) ?? { plain: [], html: [] }
      bodies.set(holder, body)
      if (typeof value === "string") body[type].push(value)
    }
  })
  return { mail: await parser.parse(bytes), bodies: [...bodies.values()] }
}

const isWritten = (text: string): boolean => text.trim() !== ""

export const textOf = ({ bodies }: ParsedMail): Effect.Effect<string> =>
  Effect.map(
    Effect.forEach(bodies, ({ html, plain }) =>
      plain.some(isWritten)
        ? Effect.succeed(plain)
        : Effect.forEach(html, (one) => Effect.map(htmlText(one, "about:blank"), ({ text }) => text))
    ),
    (texts) =>
      texts
        .flat()
        .map((text) => text.trim())
        .filter(isWritten)
        .join("\n\n")
  )
