/** Chains, followed line by line until something is not as it was written. */
import { createHash, type KeyObject } from "node:crypto"
import type { Line } from "../lines.js"
import { inOrder, nameIn } from "../names.js"
import { digestOf, macOf, NOTHING } from "./Digest.js"
import { type Link, linkIn, type Place, UNSIGNED } from "./Link.js"

/** What is wrong with a line. */
export type Kind = "changed" | "removed" | "reordered" | "added" | "torn" | "unchained"

export interface Break {
  readonly kind: Kind
  /** The line, as `file:line`. */
  readonly at: string
  readonly detail: string
}

const WORDS: Readonly<Record<Kind, string>> = {
  changed: "the line is not as it was written",
  removed: "lines that stood before this one are gone",
  reordered: "the line, or one that stood before it, is not where it was written",
  added: "the line was not written there by who writes the log",
  torn: "the line was cut off, and no writer has said that it found it so",
  unchained: "the line is in no chain"
}

const HEAD =
  "the log was never as in the digest that was given: lines at its end are gone, or it is another log"

interface Finding {
  readonly kind: Kind
  readonly at: string
  /** In other words than those of its kind. */
  readonly detail?: string
  /** A line that is missing here; if it comes later, the kind is another. */
  readonly unless?: {
    readonly wanted: Place
    /** The digest before it, where it is known. */
    readonly before?: string
    readonly kind: Kind
  }
}

interface State extends Place {
  readonly mac: string
  readonly file: string
}

interface Placed extends Line {
  readonly text: string
  readonly at: string
}

const BEGINNING = '{"v":'

const isWhole = (text: string): boolean => {
  try {
    return typeof JSON.parse(text) === "object"
  } catch {
    return false
  }
}

const isTorn = ({ bytes, text }: Placed): boolean =>
  bytes !== undefined && text.startsWith(BEGINNING.slice(0, text.length)) && !isWhole(text)

export class Verification {
  readonly #states = new Map<string, State>()
  /** The last lines of writers that no other line names. */
  readonly #sinks = new Map<string, State>()
  #file = ""
  /** The one before it; empty where there is none. */
  #previous = ""
  #isOldest = true
  #isFirstInFile = true
  #torn: { readonly digest: string; readonly at: string } | undefined
  /** The same, at the end of the file before this one: whoever closed it off has said so in this one. */
  #left: { readonly digest: string; readonly at: string } | undefined
  #finding: Finding | undefined
  #hasHead: boolean
  #firstEarlier: string | undefined

  /** Lines in chains. */
  lines = 0
  /** Lines that were there before the first chain began. */
  earlier = 0
  /** Lines that were cut off by who was stopped while writing, and found so. */
  torn = 0
  /** Whether something came before what is there, and is not there any more. */
  isCut = false

  constructor(
    private readonly key: KeyObject,
    private readonly wantedHead: string | undefined,
    /** Files of this day and of later ones are kept. */
    private readonly oldestKept: string
  ) {
    this.#hasHead = wantedHead === undefined || wantedHead === this.head
  }

  get writers(): number {
    return this.#states.size
  }

  /** One digest over the last lines of all writers: whoever has it can tell later that nothing was cut off since. */
  get head(): string {
    const all = [...this.#sinks.values()].map(({ by, mac, n }) => `${by}:${n}:${mac}\n`).sort()
    return createHash("sha256").update(all.join("")).digest("hex")
  }

  /** What is wrong, once all lines were seen. */
  get broken(): Break | undefined {
    if (this.#finding !== undefined) {
      const { at, detail, kind } = this.#finding
      return { kind, at, detail: detail ?? WORDS[kind] }
    }
    if (this.lines === 0 && this.#firstEarlier !== undefined) {
      return { kind: "unchained", at: this.#firstEarlier, detail: "no line of the log is in a chain" }
    }
    return this.#hasHead ? undefined : { kind: "removed", at: this.#file, detail: HEAD }
  }

  /** Whether there is nothing more to find out. */
  get isDecided(): boolean {
    return this.#finding !== undefined && this.#finding.unless === undefined
  }

  begin(file: string): void {
    this.#missed(this.#left)
    this.#left = this.#torn
    this.#torn = undefined
    this.#isOldest = this.#file === ""
    this.#previous = this.#file
    this.#file = file
    this.#isFirstInFile = true
  }

  /** Nothing more comes. */
  end(): void {
    this.#missed(this.#left ?? this.#torn)
  }

  #missed(torn: { readonly at: string } | undefined): void {
    if (torn !== undefined) this.#finding ??= { kind: "torn", at: torn.at }
  }

  /** The next line; `isEnded` where a newline follows it. */
  add(line: Line, isEnded: boolean): void {
    const text = line.bytes?.toString("latin1") ?? ""
    if (line.bytes !== undefined && text.trim() === "") return
    const placed = { ...line, text, at: `${this.#file}:${line.number}` }
    const link = linkIn(text)
    if (this.#finding !== undefined) {
      this.#look(this.#finding, placed, link)
      return
    }
    this.#finding = link === undefined ? this.#unlinked(placed, isEnded) : this.#linked(placed, link)
    if (!this.#hasHead && this.#finding === undefined) this.#hasHead = this.head === this.wantedHead
  }

  /** What was missing may have been moved. */
  #look({ at, unless }: Finding, line: Placed, link: Link | undefined): void {
    if (unless === undefined || link?.by !== unless.wanted.by || link.n !== unless.wanted.n) return
    if (unless.before !== undefined && !this.#isGenuine(line, link, unless.before)) return
    this.#finding = { kind: unless.kind, at }
  }

  #isGenuine({ bytes }: Line, { mac }: Link, before: string): boolean {
    const signed = bytes?.subarray(0, bytes.length - UNSIGNED) ?? ""
    return macOf(this.key, before, signed) === mac
  }

  #unlinked(line: Placed, isEnded: boolean): Finding | undefined {
    const { at } = line
    if (this.#states.size === 0) {
      this.earlier++
      this.#firstEarlier ??= at
      return undefined
    }
    if (!isTorn(line)) return { kind: "unchained", at }
    // Its writer may still be at it, or was stopped; the next one will say that it found it.
    if (!isEnded) return undefined
    if (this.#torn !== undefined) return { kind: "torn", at: this.#torn.at }
    this.#torn = { digest: digestOf(line.bytes ?? ""), at }
    return undefined
  }

  #linked(line: Placed, link: Link): Finding | undefined {
    const { at, text } = line
    if (text.lastIndexOf(BEGINNING) > 0) return { kind: "torn", at }
    const unaccounted = this.#unaccounted(link)
    if (unaccounted !== undefined) return unaccounted
    const before = this.#before(link, at)
    if (typeof before !== "string") return before
    if (!this.#isGenuine(line, link, before)) {
      return { kind: "changed", at, unless: { wanted: link, before, kind: "added" } }
    }
    const finding = this.#misplaced(line, link) ?? this.#uncovered(link, at) ?? this.#unfollowed(link, at)
    if (finding !== undefined) return finding
    const state = { by: link.by, n: link.n, mac: link.mac, file: this.#file }
    this.#states.set(link.by, state)
    this.#sinks.set(link.by, state)
    this.#isFirstInFile = false
    this.lines++
    return undefined
  }

  /** The digest that a line stands on, or why it does not stand where it should. */
  #before({ by, n, opens }: Link, at: string): string | Finding {
    const state = this.#states.get(by)
    if (state === undefined && n > 0 && this.#isOldest && opens?.prev !== undefined) {
      this.isCut = true
      return opens.prev
    }
    const before = state?.mac ?? NOTHING
    const wanted = { by, n: (state?.n ?? -1) + 1 }
    if (n < wanted.n) return { kind: "added", at }
    if (n > wanted.n) return { kind: "removed", at, unless: { wanted, before, kind: "reordered" } }
    const isElsewhere = state !== undefined && state.file !== this.#file && opens === undefined
    return isElsewhere ? { kind: "reordered", at } : before
  }

  /** The first line of a writer in a file says which file; the first of all, how long the file was before it. */
  #misplaced({ at, offset }: Placed, { opens }: Link): Finding | undefined {
    if (opens !== undefined && opens.file !== this.#file) return { kind: "reordered", at }
    if (!this.#isFirstInFile) return undefined
    if (opens === undefined) return { kind: "removed", at }
    return opens.from === offset ? undefined : { kind: opens.from < offset ? "added" : "removed", at }
  }

  /** The first line of all says which file was there before its own. Nothing else says it of the oldest files. */
  #uncovered({ opens }: Link, at: string): Finding | undefined {
    if (this.#states.size > 0) return undefined
    const [former = "", previous] = [opens?.former, this.#previous]
    if (former === previous) return undefined
    const [was, is] = [nameIn(former), nameIn(previous)]
    if (was === undefined || (is !== undefined && inOrder(was, is) < 0)) {
      return { kind: "added", at: previous, detail: "the file was not there when the chain began" }
    }
    if (was.day >= this.oldestKept) {
      const detail = `${former}, which stood before this file, is gone, and no setting had it go`
      return { kind: "removed", at, detail }
    }
    this.isCut = true
    return undefined
  }

  /** Whoever finds a line cut off says so. */
  #unaccounted({ torn }: Link): Finding | undefined {
    if (this.#torn === undefined && this.#left?.digest !== torn) return undefined
    const found = this.#torn ?? this.#left
    if (found === undefined) return undefined
    if (found === this.#torn) this.#torn = undefined
    else this.#left = undefined
    this.torn++
    return found.digest === torn ? undefined : { kind: "torn", at: found.at }
  }

  /** The lines of others that a writer has found must be there before it. */
  #unfollowed({ after = [], before = [] }: Link, at: string): Finding | undefined {
    for (const place of [...after, ...before]) {
      const n = this.#states.get(place.by)?.n
      if (n === undefined && this.#isOldest && !after.includes(place)) {
        this.isCut = true
        continue
      }
      if (n === undefined || n < place.n) {
        return { kind: "removed", at, unless: { wanted: place, kind: "reordered" } }
      }
      if (n === place.n) this.#sinks.delete(place.by)
    }
    return undefined
  }
}
