/** Reads a grammar in EBNF, and says which texts it has: for grammars of the documentation, so small ones. */

type Expression = (text: string, at: number, rule: (name: string) => Expression) => ReadonlySet<number>

/** The characters that a grammar takes for granted, each by a word of its own. */
export type Characters = Readonly<Record<string, (character: string) => boolean>>

const one =
  (matches: (character: string) => boolean): Expression =>
  (text, at) => {
    const character = text[at]
    return new Set(character !== undefined && matches(character) ? [at + 1] : [])
  }

const literal =
  (word: string): Expression =>
  (text, at) =>
    new Set(text.startsWith(word, at) ? [at + word.length] : [])

const reference =
  (name: string): Expression =>
  (text, at, rule) =>
    rule(name)(text, at, rule)

const sequence =
  (first: Expression, second: Expression): Expression =>
  (text, at, rule) =>
    new Set([...first(text, at, rule)].flatMap((next) => [...second(text, next, rule)]))

const either =
  (first: Expression, second: Expression): Expression =>
  (text, at, rule) =>
    new Set([...first(text, at, rule), ...second(text, at, rule)])

const optional =
  (inner: Expression): Expression =>
  (text, at, rule) =>
    new Set([at, ...inner(text, at, rule)])

const repeated =
  (inner: Expression): Expression =>
  (text, at, rule) => {
    const ends = new Set([at])
    // A set that grows while it is walked is walked to its end.
    for (const end of ends) for (const next of inner(text, end, rule)) ends.add(next)
    return ends
  }

const except =
  (inner: Expression, without: Expression): Expression =>
  (text, at, rule) => {
    const taken = without(text, at, rule)
    return new Set([...inner(text, at, rule)].filter((end) => !taken.has(end)))
  }

const TOKEN = /"[^"]*"|[a-z]+|[[\](){}|,;=-]/g

class Reader {
  private at = 0

  constructor(
    private readonly tokens: ReadonlyArray<string>,
    private readonly characters: Characters
  ) {}

  get isOver(): boolean {
    return this.at >= this.tokens.length
  }

  private next(): string {
    return this.tokens[this.at++] ?? ""
  }

  private skip(token: string): boolean {
    if (this.tokens[this.at] !== token) return false
    this.at++
    return true
  }

  private expect(token: string): void {
    const found = this.next()
    if (found !== token) throw new Error(`the grammar has '${found}' where '${token}' belongs`)
  }

  rule(): readonly [string, Expression] {
    const name = this.next()
    this.expect("=")
    const expression = this.alternatives()
    this.expect(";")
    return [name, expression]
  }

  private alternatives(): Expression {
    let all = this.parts()
    while (this.skip("|")) all = either(all, this.parts())
    return all
  }

  private parts(): Expression {
    let all = this.difference()
    while (this.skip(",")) all = sequence(all, this.difference())
    return all
  }

  private difference(): Expression {
    const whole = this.primary()
    return this.skip("-") ? except(whole, this.primary()) : whole
  }

  private primary(): Expression {
    const token = this.next()
    const closing = new Map([
      ["(", ")"],
      ["[", "]"],
      ["{", "}"]
    ]).get(token)
    if (closing !== undefined) {
      const inner = this.alternatives()
      this.expect(closing)
      return token === "(" ? inner : token === "[" ? optional(inner) : repeated(inner)
    }
    if (token.startsWith('"')) return literal(token.slice(1, -1))
    const known = this.characters[token]
    return known === undefined ? reference(token) : one(known)
  }
}

/** Whether a text is one that the first rule of a grammar stands for. */
export const recognizer = (grammar: string, characters: Characters): ((text: string) => boolean) => {
  const reader = new Reader(grammar.match(TOKEN) ?? [], characters)
  const rules = new Map<string, Expression>()
  while (!reader.isOver) {
    const [name, expression] = reader.rule()
    rules.set(name, expression)
  }
  const rule = (name: string): Expression => {
    const found = rules.get(name)
    if (found === undefined) throw new Error(`the grammar has no rule '${name}'`)
    return found
  }
  const [first = ""] = rules.keys()
  return (text) => rule(first)(text, 0, rule).has(text.length)
}
