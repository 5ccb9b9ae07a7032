/**
 * Which documents hold a word, and how much it counts there. That is settled when a document is added, and by nothing
 * but the document: its rank says nothing about others, which whoever asks may not see.
 */

/** A part of a document. More of the same word counts less and less, and a word counts less in a longer text. */
export interface Field {
  readonly words: ReadonlyArray<string>
  readonly boost: number
  /** How many words such a part has as a rule. Fixed, so that no other document takes part. */
  readonly typical: number
}

/** A document and the weight of a word in it are one number: the document times this, plus the weight. */
const WEIGHTS = 256

/** Fewer dead documents than this are not worth clearing away. */
const FEW = 1024

/** How much less the start of a longer word counts than the word itself. */
const PREFIX = 0.5

const SATURATION = 1.2
const LENGTH = 0.75

/** Entries of one word, in the order in which documents were added. */
type List = Array<number>

const bucketOf = (word: string): string => word.slice(0, 2)

const documentOf = (entry: number): number => Math.floor(entry / WEIGHTS)

type Scores = Map<number, number>

export class Postings {
  /** Words have numbers, and the rest goes by them: a lookup by number costs a fraction of one by text. */
  private numbers = new Map<string, number>()
  private words: Array<string> = []
  private lists: Array<List> = []
  /** Words by their first letters, to find those that start in some way. */
  private buckets = new Map<string, Array<number>>()
  /** Of the document that is being added: how often a word comes, and how much it weighs. All zero in between. */
  private counts: Array<number> = []
  private weights: Array<number> = []
  private alive: Array<boolean> = []
  private dead = 0

  private begin(word: string, list: List): number {
    const number = this.words.length
    this.numbers.set(word, number)
    this.words.push(word)
    this.lists.push(list)
    this.counts.push(0)
    this.weights.push(0)
    const bucket = this.buckets.get(bucketOf(word))
    if (bucket === undefined) this.buckets.set(bucketOf(word), [number])
    else bucket.push(number)
    return number
  }

  /** Adds the weights of a field, and answers with its words. */
  private weigh({ boost, typical, words }: Field): ReadonlyArray<number> {
    const { counts, weights } = this
    const distinct: Array<number> = []
    for (const word of words) {
      const number = this.numbers.get(word) ?? this.begin(word, [])
      const count = counts[number] ?? 0
      if (count === 0) distinct.push(number)
      counts[number] = count + 1
    }
    const drag = SATURATION * (1 - LENGTH + (LENGTH * words.length) / typical)
    for (const number of distinct) {
      const count = counts[number] ?? 0
      weights[number] = (weights[number] ?? 0) + (boost * count) / (count + drag)
      counts[number] = 0
    }
    return distinct
  }

  /** A new document, and its number. */
  add(fields: ReadonlyArray<Field>): number {
    const document = this.alive.length
    this.alive.push(true)
    for (const distinct of fields.map((field) => this.weigh(field))) {
      for (const number of distinct) {
        const weight = this.weights[number] ?? 0
        // A word of several fields is entered once.
        if (weight === 0) continue
        this.weights[number] = 0
        this.lists[number]?.push(document * WEIGHTS + Math.min(WEIGHTS - 1, Math.max(1, Math.round(weight))))
      }
    }
    return document
  }

  remove(document: number): void {
    if (this.alive[document] !== true) return
    this.alive[document] = false
    this.dead++
  }

  /** Whether more is dead than alive, so that `compact` would be worth what it costs. */
  get isStale(): boolean {
    return this.dead > FEW && this.dead * 2 > this.alive.length
  }

  /** Forgets what is dead; answers with the new number of each document. */
  compact(): ReadonlyMap<number, number> {
    const numbers = new Map<number, number>()
    for (const [document, isAlive] of this.alive.entries()) if (isAlive) numbers.set(document, numbers.size)
    const { lists, words } = this
    this.numbers = new Map()
    this.buckets = new Map()
    this.words = []
    this.lists = []
    this.counts = []
    this.weights = []
    for (const [index, word] of words.entries()) {
      const kept = (lists[index] ?? []).flatMap((entry) => {
        const number = numbers.get(documentOf(entry))
        return number === undefined ? [] : [number * WEIGHTS + (entry % WEIGHTS)]
      })
      if (kept.length > 0) this.begin(word, kept)
    }
    this.alive = Array.from(numbers, () => true)
    this.dead = 0
    return numbers
  }

  private startingWith(prefix: string): ReadonlyArray<number> {
    if (prefix.length >= 2) {
      const bucket = this.buckets.get(bucketOf(prefix)) ?? []
      return bucket.filter((number) => this.words[number]?.startsWith(prefix))
    }
    return [...this.buckets].flatMap(([start, numbers]) => (start.startsWith(prefix) ? numbers : []))
  }

  /** The best weight of each document for some words, on top of what `within` has, which leaves out all others. */
  private matching(numbers: ReadonlyArray<number>, exact: string, within: Scores | undefined): Scores {
    const best: Scores = new Map()
    for (const number of numbers) {
      const word = this.words[number] ?? ""
      const factor = word === exact ? 1 : PREFIX * (exact.length / word.length)
      for (const entry of this.lists[number] ?? []) {
        const document = documentOf(entry)
        if (this.alive[document] !== true || within?.has(document) === false) continue
        const weight = (entry % WEIGHTS) * factor
        if (weight > (best.get(document) ?? 0)) best.set(document, weight)
      }
    }
    if (within === undefined) return best
    for (const [document, weight] of best) best.set(document, weight + (within.get(document) ?? 0))
    return best
  }

  private frequencyOf(word: string): number {
    return this.lists[this.numbers.get(word) ?? -1]?.length ?? 0
  }

  /** The documents that hold all of the words, or the last of them as the start of one, and how well. */
  search(words: ReadonlyArray<string>): ReadonlyMap<number, number> {
    const last = words.at(-1)
    if (last === undefined) return new Map()
    // The rarest first, so that the others have fewer documents to look at.
    const whole = [...new Set(words.slice(0, -1))].sort((a, b) => this.frequencyOf(a) - this.frequencyOf(b))
    let found: Scores | undefined
    for (const word of whole) {
      const number = this.numbers.get(word)
      found = this.matching(number === undefined ? [] : [number], word, found)
    }
    return this.matching(this.startingWith(last), last, found)
  }
}
