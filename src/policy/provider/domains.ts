/**
 * A set of hosts as a provider's list of domains. There a domain always takes in everything below it, so that a list
 * can say less than a set. What it cannot say is left out; what it cannot leave out makes the whole untranslatable.
 */
import { Either } from "effect"
import { forbidsHost } from "../gate/floor/Floor.js"
import { coversPublicSuffix, isAddress } from "../lattice/Host.js"
import type { HostSet } from "../lattice/HostSet.js"
import { holding } from "../lattice/Remedy.js"
import { quote } from "../text/Quote.js"

/**
 * A scope, and why the provider's form says less of it, or more.
 *
 * @since 0.1.0
 * @category models
 */
export interface Note {
  readonly scope: string
  readonly because: string
}

/**
 * Why a scope cannot be said in the provider's form, and what to grant instead.
 *
 * @since 0.1.0
 * @category models
 */
export interface Untranslatable {
  readonly because: string
  readonly remedy: string
}

/** `domains` of `undefined` is no list at all: every host. */
export interface Domains {
  readonly list: "allow" | "block"
  readonly domains: ReadonlyArray<string> | undefined
  readonly narrowed: ReadonlyArray<Note>
  readonly widened: ReadonlyArray<Note>
}

interface Rule {
  readonly allows: boolean
  readonly below: boolean
  readonly name: string
}

/** A name that is reserved for examples: a remedy that is copied as it stands opens nothing. */
export const EXAMPLE = holding("network.get", { host: "example.com" }).remedy

const LABEL = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/

const isDomain = (name: string): boolean =>
  name.includes(".") && !isAddress(name) && name.split(".").every((label) => LABEL.test(label))

const printed = ({ below, name }: Rule): string => (below ? `*.${name}` : name)

/** A name and every domain above it, from the nearest. */
const lineage = (name: string): ReadonlyArray<string> =>
  name.split(".").map((_, index, labels) => labels.slice(index).join("."))

class Rules {
  readonly any: boolean
  readonly all: ReadonlyArray<Rule>
  private readonly below: ReadonlyMap<string, boolean>
  private readonly withExceptions: ReadonlySet<string>

  constructor(private readonly hosts: HostSet) {
    const patterns = hosts.encode()
    this.any = patterns.includes("*")
    this.all = patterns
      .filter((pattern) => pattern !== "*")
      .map((pattern) => {
        const allows = !pattern.startsWith("!")
        const text = allows ? pattern : pattern.slice(1)
        const below = text.startsWith("*.")
        return { allows, below, name: below ? text.slice(2) : text }
      })
    this.below = new Map(this.all.filter(({ below }) => below).map(({ allows, name }) => [name, allows]))
    this.withExceptions = new Set(this.exceptions.flatMap(({ name }) => lineage(name)))
  }

  get exceptions(): ReadonlyArray<Rule> {
    return this.all.filter(({ allows }) => !allows)
  }

  has(name: string): boolean {
    return this.hosts.has(name)
  }

  /** What is said of the names below a domain, if anything is. */
  saidBelow(name: string): boolean | undefined {
    const said = lineage(name).find((suffix) => this.below.has(suffix))
    return said === undefined ? undefined : this.below.get(said)
  }

  /** Whether something at or below a domain is left out by name. */
  excepts(name: string): boolean {
    return this.withExceptions.has(name)
  }
}

/** Why a list must not name this domain, though something is granted of it. */
const unnameable = (rules: Rules, name: string): string | undefined => {
  if (!isDomain(name)) return "it is no domain"
  if (coversPublicSuffix(name)) return "everybody's domains are below it"
  if (forbidsHost(name)) return "it is always refused"
  if (rules.excepts(name)) return "an exception below it cannot be told to the provider"
  if (!rules.has(name)) return `the provider takes '*.${name}' for ${name} too`
  return rules.saidBelow(name) === false ? "what is below it is left out" : undefined
}

/** One note for each scope. */
const distinct = (notes: ReadonlyArray<Note>): ReadonlyArray<Note> => [
  ...new Map(notes.map((note) => [note.scope, note])).values()
]

const allowList = (rules: Rules): Either.Either<Domains, Untranslatable> => {
  const domains = new Set<string>()
  const narrowed: Array<Note> = []
  for (const rule of rules.all) {
    if (!rule.allows) continue
    const because = unnameable(rules, rule.name)
    if (because === undefined) domains.add(rule.name)
    else narrowed.push({ scope: printed(rule), because })
  }
  const [first] = narrowed
  if (domains.size === 0) return Either.left(nothingLeft(rules, first))
  const widened = [...domains].filter((name) => rules.saidBelow(name) !== true)
  return Either.right({
    list: "allow",
    domains: [...domains].sort(),
    narrowed,
    widened: widened.map((scope) => ({ scope, because: `the provider takes it for '*.${scope}' too` }))
  })
}

const nothingLeft = (rules: Rules, first: Note | undefined): Untranslatable => {
  const subject = first === undefined ? "nothing is granted" : `of ${quote(first.scope)}, ${first.because}`
  const suffix = first?.scope.startsWith("*.") === true ? first.scope.slice(2) : undefined
  const onlyBelow = suffix !== undefined && isDomain(suffix) && !rules.has(suffix) && !rules.excepts(suffix)
  // A grant of `*.x` covers `x` too, which is all that is missing.
  return {
    because: `its list can name nothing that is granted; ${subject}`,
    remedy: onlyBelow ? holding("network.get", { host: `*.${suffix}` }).remedy : EXAMPLE
  }
}

/** To block a domain is to block what is below it, which is more than an exception says: the safe side. */
const blockList = (rules: Rules): Either.Either<Domains, Untranslatable> => {
  const nameless = rules.exceptions.find(({ name }) => !isDomain(name))
  if (nameless !== undefined) {
    const because = `it blocks domains only, and the exception ${quote(printed(nameless))} is none`
    return Either.left({ because, remedy: EXAMPLE })
  }
  const blocked = new Set(rules.exceptions.map(({ name }) => name))
  const narrowed: Array<Note> = []
  const lose = (scope: string, name: string) =>
    narrowed.push({ scope, because: `the provider blocks all of ${name}` })
  for (const name of blocked) {
    if (rules.has(name)) lose(name, name)
    if (rules.saidBelow(name) !== false) lose(`*.${name}`, name)
  }
  for (const rule of rules.all) {
    const above = rule.allows ? lineage(rule.name).find((name) => blocked.has(name)) : undefined
    if (above !== undefined) lose(printed(rule), above)
  }
  return Either.right({
    list: "block",
    domains: [...blocked].sort(),
    narrowed: distinct(narrowed),
    widened: []
  })
}

/** `limit`: how many domains a list takes. `blocks`: whether there is a list of what is left out. */
export const toDomains = (
  hosts: HostSet,
  { blocks, limit }: { readonly blocks: boolean; readonly limit: number }
): Either.Either<Domains, Untranslatable> => {
  const rules = new Rules(hosts)
  if (rules.any && rules.exceptions.length === 0) {
    return Either.right({ list: "allow", domains: undefined, narrowed: [], widened: [] })
  }
  if (rules.any && !blocks) {
    return Either.left({ because: "it takes no exceptions, and there are some", remedy: EXAMPLE })
  }
  return Either.flatMap(rules.any ? blockList(rules) : allowList(rules), (translated) => {
    const count = translated.domains?.length ?? 0
    return count <= limit
      ? Either.right(translated)
      : Either.left({
          because: `its list takes ${limit} domains, and there would be ${count}`,
          remedy: `let net.get come down to at most ${limit} domains`
        })
  })
}
