/** CSV as RFC 4180 has it: quoted fields may hold commas, quotes and line breaks. */
import * as Schema from "effect/Schema"

export class CsvInvalid extends Schema.TaggedError<CsvInvalid>()("CsvInvalid", {
  row: Schema.Int,
  problem: Schema.String
}) {
  override get message(): string {
    return `row ${this.row}: ${this.problem}`
  }
}

export type Row = Readonly<Record<string, string>>

const MARK = "\uFEFF"

/** Rows out of text that comes in pieces, so that a file need not fit into memory. */
export class Rows {
  readonly #taken: Array<Row> = []
  #names: ReadonlyArray<string> | undefined
  #fields: Array<string> = []
  #field = ""
  #quoted = false
  /** A quote that was met in a quoted field: it ends the field, unless another one follows. */
  #quote = false
  #count = 0

  get names(): ReadonlyArray<string> {
    return this.#names ?? []
  }

  /** The rows that are whole, each given once. */
  taken(): ReadonlyArray<Row> {
    return this.#taken.splice(0)
  }

  add(text: string): void {
    for (const character of text) this.#add(character)
  }

  end(): void {
    if (this.#quoted && !this.#quote) this.#fail("a quoted field does not end")
    if (this.#field !== "" || this.#fields.length > 0) this.#endRow()
  }

  #add(character: string): void {
    if (this.#quoted && !this.#quote) {
      if (character === '"') this.#quote = true
      else this.#field += character
      return
    }
    if (character === '"' && this.#quote) {
      this.#field += character
      this.#quote = false
    } else if (character === '"' && this.#field === "" && !this.#quoted) this.#quoted = true
    else if (character === ",") this.#endField()
    else if (character === "\n") this.#endRow()
    else if (character !== "\r") {
      if (this.#quoted) this.#fail("something follows a quoted field")
      this.#field += character
    }
  }

  #endField(): void {
    this.#fields.push(this.#field)
    this.#field = ""
    this.#quoted = false
    this.#quote = false
  }

  #endRow(): void {
    this.#endField()
    const fields = this.#fields
    this.#fields = []
    if (fields.length === 1 && fields[0] === "") return
    const names = this.#names
    if (names === undefined) {
      this.#names = fields.map((name, at) => (at === 0 && name.startsWith(MARK) ? name.slice(1) : name))
      return
    }
    this.#count += 1
    if (fields.length !== names.length) {
      this.#fail(`it has ${fields.length} fields, and there are ${names.length} columns`)
    }
    this.#taken.push(Object.fromEntries(names.map((name, at) => [name, fields[at] ?? ""])))
  }

  #fail(problem: string): never {
    throw new CsvInvalid({ row: this.#count, problem })
  }
}

const plain = (field: string): string => (/[",\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field)

/** What a spreadsheet would run is shown to it as text. */
const inert = (field: string): string =>
  /^[=+\-@\t\r]/.test(field) && Number.isNaN(Number(field)) ? `'${field}` : field

export const print = (names: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [names, ...rows]
    .map((row) => row.map((field) => plain(inert(field))).join(","))
    .join("\n")
    .concat("\n")
