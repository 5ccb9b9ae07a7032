/** What the tools of records share: the words that a model reads, and what a write will ask for. */
import { Schema } from "effect"
import { isAuthorityKey } from "../../policy/agent/AgentFile.js"
import { UNCLASSED } from "../../policy/record/RecordText.js"
import type * as Ask from "../Ask.js"
import { described, optional } from "./fields.js"

export const id = described(Schema.String, "The id of the record, such as notes/today")

const Data = Schema.Record({ key: Schema.String, value: Schema.Unknown })

export const frontMatter = (what: string) => optional(Data, what)

export const body = optional(Schema.String, "The Markdown below the front matter")

/** The class that a change gives a record: `null` takes the key away, and with it the class. */
export const classOf = (written: unknown): string | undefined => {
  if (written === null) return UNCLASSED
  return typeof written === "string" ? written : undefined
}

/** What of a front matter is authority, should the record be an agent, and whether there is anything else. */
export const writes = (
  given: Readonly<Record<string, unknown>> | undefined,
  text: string | undefined
): Ask.Writes => {
  const keys = Object.keys(given ?? {})
  return {
    authority: keys.some(isAuthorityKey),
    proposes: Object.fromEntries(Object.entries(given ?? {}).filter(([key]) => isAuthorityKey(key))),
    others: text !== undefined || keys.length === 0 || keys.some((key) => !isAuthorityKey(key))
  }
}
