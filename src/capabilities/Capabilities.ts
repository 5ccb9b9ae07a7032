/**
 * The declaration of a tool, and the table of categories: one key per category, what each key supplies, and what the
 * category is made of. A category that is forgotten here does not compile, and neither does one that is forgotten by
 * those who walk the table.
 *
 * @since 0.1.0
 */
import { type Context, Schema } from "effect"
import type { Agents } from "./agents/Agents.js"
import * as AgentsCategory from "./agents/AgentsCategory.js"
import type { Attachments } from "./attachments/Attachments.js"
import * as AttachmentsCategory from "./attachments/AttachmentsCategory.js"
import type { Description } from "./Category.js"
import type { Files } from "./files/Files.js"
import * as FilesCategory from "./files/FilesCategory.js"
import type { Network } from "./network/Network.js"
import * as NetworkCategory from "./network/NetworkCategory.js"
import type { Process } from "./process/Process.js"
import * as ProcessCategory from "./process/ProcessCategory.js"
import type { Records } from "./records/Records.js"
import * as RecordsCategory from "./records/RecordsCategory.js"
import type { Secrets } from "./secrets/Secrets.js"
import * as SecretsCategory from "./secrets/SecretsCategory.js"
import type { UnknownCategory } from "./spelling.js"
import type { Storage } from "./storage/Storage.js"
import * as StorageCategory from "./storage/StorageCategory.js"

/**
 * What a tool declares. An absent key is a category the tool does not touch.
 *
 * @since 0.1.0
 * @category models
 */
export interface Capabilities {
  readonly network?: { readonly allowedHosts: ReadonlyArray<string>; readonly for?: "children" }
  readonly secrets?: ReadonlyArray<
    | string
    | { readonly ref: string; readonly hosts: ReadonlyArray<string>; readonly in?: ReadonlyArray<string> }
  >
  readonly storage?: {
    readonly scope: Storage.Scope
    readonly kind: "kv"
    readonly ttlSecondsDefault?: number
  }
  readonly fs_reach?: {
    readonly read?: ReadonlyArray<string> | "from-personality"
    readonly write?: ReadonlyArray<string> | "from-personality"
  }
  readonly process?: { readonly allowedBinaries: ReadonlyArray<string> }
  readonly attachments?: { readonly kinds: ReadonlyArray<Attachments.KindName> | "*" }
  readonly records?: {
    readonly verbs: ReadonlyArray<Records.VerbName>
    readonly classes?: ReadonlyArray<string>
  }
  readonly agents?: { readonly verbs: ReadonlyArray<Agents.VerbName>; readonly ids?: ReadonlyArray<string> }
}

/**
 * @since 0.1.0
 * @category models
 */
export type Category = keyof Capabilities

/**
 * What each category is made of, in the order in which they are spoken of.
 *
 * @since 0.1.0
 * @category table
 */
export const categories = {
  network: NetworkCategory.category,
  secrets: SecretsCategory.category,
  storage: StorageCategory.category,
  fs_reach: FilesCategory.category,
  process: ProcessCategory.category,
  attachments: AttachmentsCategory.category,
  records: RecordsCategory.category,
  agents: AgentsCategory.category
} as const satisfies { readonly [C in Category]: Description<NonNullable<Capabilities[C]>> }

type Table = typeof categories

/** The same list as words, for a sentence of the compiler; the names must be those of the table, and all of them. */
type Listed = "network, secrets, storage, fs_reach, process, attachments, records, agents"

type NamesIn<Text extends string> = Text extends `${infer Word}, ${infer Rest}` ? Word | NamesIn<Rest> : Text

type Same<A, B> = [A, B] extends [B, A] ? unknown : never

/**
 * The names of the categories.
 *
 * @since 0.1.0
 * @category table
 */
export const categoryNames = Object.keys(categories) as ReadonlyArray<Category> &
  Same<NamesIn<Listed>, Category>

/**
 * Walks the categories that a declaration has, in the order of the table.
 *
 * @since 0.1.0
 * @category table
 */
export const walk = <A>(
  declared: Capabilities,
  visit: (description: Description<never>, declared: never, category: Category) => A
): ReadonlyArray<A> =>
  categoryNames.flatMap((category) =>
    declared[category] === undefined
      ? []
      : // Each description is given what stands under its own key; only the compiler cannot see that.
        [visit(categories[category] as Description<never>, declared[category] as never, category)]
  )

/**
 * A declaration without what is for the children of a tool alone: what the tool itself gets services for.
 *
 * @since 0.1.0
 * @category table
 */
export const ofItself = (declared: Capabilities): Capabilities => {
  const forChildren = walk(declared, ({ isForChildren }, given, category) =>
    isForChildren?.(given) === true ? [category] : []
  ).flat()
  if (forChildren.length === 0) return declared
  return Object.fromEntries(
    Object.entries(declared).filter(([category]) => !forChildren.some((one) => one === category))
  )
}

/**
 * A declaration as data, from a file or across a process boundary. Unknown keys are errors.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Capabilities: Schema.Schema<Capabilities> = Schema.Struct(
  Object.fromEntries(
    categoryNames.map((name) => [
      name,
      Schema.optionalWith(categories[name].declaration as Schema.Schema.AnyNoContext, { exact: true })
    ])
  )
).annotations({ identifier: "Capabilities", parseOptions: { onExcessProperty: "error" } })

/**
 * The failures of the categories. A tool need not declare them.
 *
 * @since 0.1.0
 * @category errors
 */
export type CapabilityError = InstanceType<Table[Category]["error"]>

/**
 * The backends that a declaration stands on.
 *
 * @since 0.1.0
 * @category requirements
 */
export type BackendsOf<Caps> = {
  readonly [K in keyof Caps & Category]: Caps[K] extends Network.ForChildren
    ? never
    : Context.Tag.Identifier<Table[K]["backends"][number]>
}[keyof Caps & Category]

/**
 * The services a declaration supplies: the tag of each declared category, and the requirements it covers. The walk is
 * written out here, and not taken from `Supplied`, so that editors and declaration files show the services and not
 * the name of a type that nobody can import.
 *
 * @since 0.1.0
 * @category requirements
 */
export type ServicesOf<C> = 0 extends 1 & C
  ? // biome-ignore lint/suspicious/noExplicitAny: any tool may need anything
    any
  : Services<{ readonly [K in keyof C]-?: K extends Category ? SuppliedBy<C[K]>[K] : never }[keyof C]>

/** Distributes, and leaves out the sentences. */
type Services<S> = S extends string ? never : S

/**
 * As `ServicesOf`, with a sentence for each thing that is wrong in the declaration. One walk over the declaration
 * finds both, because it runs for every tool.
 *
 * @since 0.1.0
 * @category requirements
 */
export type Supplied<C> = {
  readonly [K in keyof C]-?: K extends Category ? SuppliedBy<C[K]>[K] : UnknownCategory<K, Aliases, Listed>
}[keyof C]

/**
 * Lazy: only the members that a declaration names are worked out.
 *
 * @since 0.1.0
 * @category requirements
 */
export interface SuppliedBy<D> {
  readonly network: Network.Supplied<D>
  readonly secrets: Secrets.Supplied<D>
  readonly storage: Storage.Supplied<D>
  readonly fs_reach: Files.Supplied<D>
  readonly process: Process.Supplied<D>
  readonly attachments: Attachments.Supplied<D>
  readonly records: Records.Supplied<D>
  readonly agents: Agents.Supplied<D>
}

/** Words people write for a category, other than its name. */
type Aliases = { readonly [C in Category]: Table[C]["aliases"][number] }

/**
 * The sentence of each category about a requirement `X` that a declaration does not cover; `S` is what it supplies.
 *
 * @since 0.1.0
 * @category requirements
 */
export interface ComplaintBy<X, S = never> {
  readonly network: NetworkCategory.Complaint<X>
  readonly secrets: SecretsCategory.Complaint<X, S>
  readonly storage: StorageCategory.Complaint<X>
  readonly fs_reach: FilesCategory.Complaint<X>
  readonly process: ProcessCategory.Complaint<X>
  readonly attachments: AttachmentsCategory.Complaint<X>
  readonly records: RecordsCategory.Complaint<X>
  readonly agents: AgentsCategory.Complaint<X>
}

/**
 * The sentences of each category about what its declaration `D` lists and the requirements `R` never ask for.
 *
 * @since 0.1.0
 * @category requirements
 */
export interface UnusedBy<R, D> {
  readonly network: NetworkCategory.Unused<R, D>
  readonly secrets: SecretsCategory.Unused<R, D>
  readonly storage: StorageCategory.Unused<R>
  readonly fs_reach: FilesCategory.Unused<R, D>
  readonly process: ProcessCategory.Unused<R, D>
  readonly attachments: AttachmentsCategory.Unused<R, D>
  readonly records: RecordsCategory.Unused<R, D>
  readonly agents: AgentsCategory.Unused<R, D>
}
