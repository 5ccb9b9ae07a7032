/**
 * JSON that says where it is wrong, and in which a key does not come twice: of two values for one key a reader sees
 * one and a parser takes the other.
 */
import { Either } from "effect"
import type { At } from "./Problem.js"

const MAX_DEPTH = 500

const SPACE = /[ \t\n\r]*/y
// biome-ignore lint/suspicious/noControlCharactersInRegex: they may not stand in a string
const SPECIAL = /["\\\u0000-\u001f]/g
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y
const LITERAL = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y

class Wrong {
  constructor(
    readonly offset: number,
    readonly detail: string
  ) {}
}

/** Walks over the text; throws a `Wrong` at the first character that does not belong. */
class Scanner {
  private at = 0

  constructor(private readonly text: string) {}

  document(): void {
    this.value(0)
    this.space()
    if (this.at < this.text.length) throw this.wrong("something follows the end of the document")
  }

  private wrong(detail: string): Wrong {
    return new Wrong(this.at, detail)
  }

  private take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at
    const [found] = pattern.exec(this.text) ?? []
    if (found !== undefined) this.at += found.length
    return found
  }

  private space(): void {
    this.take(SPACE)
  }

  private accept(character: string): boolean {
    this.space()
    if (this.text[this.at] !== character) return false
    this.at++
    return true
  }

  /** From special character to special character: one pattern for the whole would need a stack for a long string. */
  private string(): string | undefined {
    const start = this.at
    if (this.text[start] !== '"') return undefined
    for (this.at++; ; ) {
      SPECIAL.lastIndex = this.at
      const found = SPECIAL.exec(this.text)
      this.at = found?.index ?? this.text.length
      if (found === null) throw this.wrong("a string does not end")
      if (found[0] === '"') return this.text.slice(start, ++this.at)
      if (this.take(ESCAPE) === undefined) throw this.wrong("a character in a string must be escaped")
    }
  }

  private value(depth: number): void {
    if (depth > MAX_DEPTH) throw this.wrong("it is nested too deeply")
    if (this.accept("[")) this.items("]", () => this.value(depth + 1))
    else if (this.accept("{")) this.object(depth)
    else if ((this.string() ?? this.take(LITERAL)) === undefined) {
      throw this.wrong(this.at < this.text.length ? "a value is expected here" : "it ends in the middle")
    }
  }

  private object(depth: number): void {
    const keys = new Set<string>()
    this.items("}", () => {
      this.space()
      const start = this.at
      const key = this.string()
      if (key === undefined) throw this.wrong("a key in double quotes is expected here")
      const name: unknown = JSON.parse(key)
      if (keys.has(String(name))) throw new Wrong(start, `the key ${key} stands here twice`)
      keys.add(String(name))
      if (!this.accept(":")) throw this.wrong("a ':' is expected here")
      this.value(depth + 1)
    })
  }

  private items(end: string, item: () => void): void {
    if (this.accept(end)) return
    do item()
    while (this.accept(","))
    if (!this.accept(end)) throw this.wrong(`a ',' or '${end}' is expected here`)
  }
}

/** What is wrong with a document, and where. */
export interface NotJson extends At {
  readonly offset: number
  readonly detail: string
}

/** Where a character of a text stands. */
export const placeIn = (text: string, offset: number): At => {
  const before = text.slice(0, offset).split("\n")
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }
}

/** A mark of byte order at the beginning is passed over. */
export const readJson = (text: string): Either.Either<unknown, NotJson> => {
  const stripped = text.startsWith("\uFEFF") ? text.slice(1) : text
  try {
    new Scanner(stripped).document()
    return Either.right(JSON.parse(stripped))
  } catch (error) {
    if (error instanceof Wrong) {
      const { detail, offset } = error
      return Either.left({ ...placeIn(stripped, offset), offset, detail })
    }
    return Either.left({ line: 1, column: 1, offset: 0, detail: "it cannot be read" })
  }
}
