/** What the four tools of the session's store share. */
import { Schema } from "effect"
import * as Ask from "../Ask.js"
import { described } from "./fields.js"

export const key = described(Schema.String, "The name of the entry")

export const session = { storage: { scope: "session", kind: "kv" } } as const

export const asksStorage = (): ReadonlyArray<Ask.Ask> => [Ask.storage]
