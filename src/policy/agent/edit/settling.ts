/** What becomes of the entries of a list when a sandbox is written out, and which of them go. */
import { Either } from "effect"
import type * as Grant from "../../grant/Grant.js"
import type { Entry } from "../entries.js"
import { settled } from "./dissolve.js"
import type { Fate } from "./lines.js"
import type { Gone } from "./lost.js"
import type { Opened } from "./open.js"

/** An entry of the list, and not of a shorthand. */
interface Listed extends Entry {
  readonly item: number
}

export const isListed = (entry: Entry): entry is Listed => entry.item !== undefined

export class Settling {
  readonly fates: Array<Fate> = []
  readonly listed: Array<Grant.Grant> = []
  readonly gone: Array<Gone> = []

  constructor(private readonly opened: Opened) {}

  /** `stay` stands in the place of the entry. */
  add({ grant, item, line }: Listed, stay: ReadonlyArray<Grant.Grant>): void {
    const fate = stay.flatMap((one) =>
      Either.match(settled(this.opened, one), {
        onLeft: (why) => {
          this.gone.push({ item, line, why, grant: one })
          return []
        },
        onRight: (settledAs) => [settledAs]
      })
    )
    this.fates[item] = fate[0] === grant ? "keep" : fate
    for (const one of stay) this.listed.push(one)
  }

  /** One that nobody can read. */
  drop(gone: Gone): void {
    this.fates[gone.item] = []
    this.gone.push(gone)
  }
}
