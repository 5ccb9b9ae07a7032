/** The category `records`, as the table of categories has it. */
import { Either } from "effect"
import { recordClass } from "../../policy/lattice/dimensions/Name.js"
import { backendOf, type Description } from "../Category.js"
import { everything, forVerbs, listedVerbs, nothing, scopesOf } from "../scopes.js"
import type { IfUnused, List, Undeclared } from "../sentences.js"
import { Records, RecordsDeclaration } from "./Records.js"
import { RecordsBackend } from "./RecordsBackend.js"
import { RecordsError } from "./RecordsOperations.js"
import { scoped } from "./ScopedRecords.js"

type Declared = typeof RecordsDeclaration.Type

/** The sentence about a requirement that is not covered. */
export type Complaint<X> =
  X extends Records.Verb<infer V>
    ? Undeclared<`records.verbs needs '${V}'`>
    : X extends Records
      ? Undeclared<"records">
      : never

/** A sentence for each verb that is declared and never used. */
export type Unused<R, D> = Records extends R ? never : UnusedVerb<R, List<D, "verbs">>

type UnusedVerb<R, V extends string> = V extends unknown
  ? IfUnused<R, Records.Verb<V>, `records.verbs '${V}'`>
  : never

export const category = {
  declaration: RecordsDeclaration,
  error: RecordsError,
  tags: [Records],
  backends: [RecordsBackend],
  facet: "records",
  aliases: ["record", "notes"],
  surface: ({ classes, verbs }) => [{ label: "records", items: verbs, of: classes }],
  listed: ({ classes, verbs }) => listedVerbs("records.verbs", verbs, "classes", classes),
  authority: ({ classes, verbs }, { deferred }) =>
    Either.map(
      // Without classes, which of them is left to the policy.
      classes === undefined
        ? Either.right(deferred === "everything" ? everything.records.read : nothing.records.read)
        : scopesOf(nothing.records.read, "class", recordClass.parse, classes),
      (scope) => ({ records: forVerbs(verbs, scope) })
    ),
  services: (_, making) => [
    [Records.key, Records.make(scoped(making.holder, backendOf(making, RecordsBackend)))]
  ]
} as const satisfies Description<Declared>
