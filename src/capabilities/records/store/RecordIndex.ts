/** What is known of all records, for questions about many of them. It is kept in memory, and changed record by record. */

import type { RecordText } from "../../../policy/record/RecordText.js"
import type { RecordsBackend } from "../RecordsBackend.js"
import type { RecordSummary } from "../RecordsOperations.js"
import { linksOf } from "./links.js"
import { type Field, Postings } from "./postings.js"
import { wordsOf } from "./tokens.js"

/** The parts of a record that are searched: what is in its title counts for more than what is in its body. */

const fieldsOf = (id: string, { body, tags, title = "" }: RecordText): ReadonlyArray<Field> => [
  { words: wordsOf(body), boost: 50, typical: 300 },
  { words: wordsOf(id), boost: 45, typical: 3 },
  { words: wordsOf(tags.join(" ")), boost: 60, typical: 4 },
  { words: wordsOf(title), boost: 100, typical: 5 }
]

export interface Known {
  readonly id: string
  readonly class: string
  readonly title: string | undefined
  readonly tags: ReadonlyArray<string>
  readonly links: ReadonlyArray<string>
}

interface Numbered {
  readonly known: Known
  readonly number: number
}

type Wanted = (known: Known) => boolean

const byId = (a: Known, b: Known): number => (a.id < b.id ? -1 : 1)

export const summaryOf = ({ class: kind, id, title }: Known): typeof RecordSummary.Type => ({
  id,
  class: kind,
  ...(title === undefined ? {} : { title })
})

export class Index {
  private readonly records = new Map<string, Numbered>()
  private byNumber = new Map<number, Known>()
  private readonly linkedFrom = new Map<string, Set<string>>()
  private readonly postings = new Postings()

  get(id: string): Known | undefined {
    return this.records.get(id)?.known
  }

  set(id: string, record: RecordText): void {
    this.delete(id)
    const known: Known = {
      id,
      class: record.class,
      title: record.title,
      tags: record.tags,
      links: linksOf(id, record.body)
    }
    const number = this.postings.add(fieldsOf(id, record))
    this.records.set(id, { known, number })
    this.byNumber.set(number, known)
    for (const to of known.links) {
      const sources = this.linkedFrom.get(to)
      if (sources === undefined) this.linkedFrom.set(to, new Set([id]))
      else sources.add(id)
    }
  }

  delete(id: string): void {
    const old = this.records.get(id)
    if (old === undefined) return
    this.records.delete(id)
    this.byNumber.delete(old.number)
    this.postings.remove(old.number)
    for (const to of old.known.links) {
      const sources = this.linkedFrom.get(to)
      sources?.delete(id)
      if (sources?.size === 0) this.linkedFrom.delete(to)
    }
    if (this.postings.isStale) this.renumber()
  }

  private renumber(): void {
    const numbers = this.postings.compact()
    this.byNumber = new Map()
    for (const [id, { known, number }] of this.records) {
      const next = numbers.get(number) ?? -1
      this.records.set(id, { known, number: next })
      this.byNumber.set(next, known)
    }
  }

  /** The best first; among equals, by id. */
  search(words: ReadonlyArray<string>, wanted: Wanted, limit: number): ReadonlyArray<Known> {
    const ranked = [...this.postings.search(words)]
      .flatMap(([number, score]) => {
        const known = this.byNumber.get(number)
        return known === undefined ? [] : [{ known, score }]
      })
      .sort((a, b) => b.score - a.score || byId(a.known, b.known))
    const found: Array<Known> = []
    for (const { known } of ranked) {
      if (found.length >= limit) break
      if (wanted(known)) found.push(known)
    }
    return found
  }

  list(wanted: Wanted): ReadonlyArray<Known> {
    return [...this.records.values()]
      .map(({ known }) => known)
      .filter(wanted)
      .sort(byId)
  }

  /** Those that are there and may be seen, of the records that one links to. */
  links(id: string, visible: RecordsBackend.Visible): ReadonlyArray<string> {
    return (this.get(id)?.links ?? []).filter((to) => {
      const known = this.get(to)
      return known !== undefined && visible(known)
    })
  }

  backlinks(id: string, visible: RecordsBackend.Visible): ReadonlyArray<string> {
    return [...(this.linkedFrom.get(id) ?? [])]
      .filter((from) => {
        const known = this.get(from)
        return known !== undefined && visible(known)
      })
      .sort()
  }
}
