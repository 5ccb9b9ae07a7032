/**
 * The declaration of a tool: one key per category, and what each key supplies.
 *
 * @since 0.1.0
 */
import { Schema } from "effect"
import { type Agents, AgentsDeclaration, type AgentsError } from "./agents/Agents.js"
import { type Attachments, AttachmentsDeclaration, type AttachmentsError } from "./attachments/Attachments.js"
import { type Files, FilesDeclaration, type FilesError } from "./files/Files.js"
import { type Network, NetworkDeclaration, type NetworkError } from "./network/Network.js"
import { type Process, ProcessDeclaration, type ProcessError } from "./process/Process.js"
import { type Records, RecordsDeclaration } from "./records/Records.js"
import type { RecordsError } from "./records/RecordsOperations.js"
import { type Secrets, SecretsDeclaration, type SecretsError } from "./secrets/Secrets.js"
import type { UnknownCategory } from "./spelling.js"
import { type Storage, StorageDeclaration, type StorageError } from "./storage/Storage.js"

/**
 * A declaration as data, from a file or across a process boundary. Unknown keys are errors.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Capabilities = Schema.Struct({
  network: Schema.optionalWith(NetworkDeclaration, { exact: true }),
  secrets: Schema.optionalWith(SecretsDeclaration, { exact: true }),
  storage: Schema.optionalWith(StorageDeclaration, { exact: true }),
  fs_reach: Schema.optionalWith(FilesDeclaration, { exact: true }),
  process: Schema.optionalWith(ProcessDeclaration, { exact: true }),
  attachments: Schema.optionalWith(AttachmentsDeclaration, { exact: true }),
  records: Schema.optionalWith(RecordsDeclaration, { exact: true }),
  agents: Schema.optionalWith(AgentsDeclaration, { exact: true })
}).annotations({ identifier: "Capabilities", parseOptions: { onExcessProperty: "error" } })

/**
 * What a tool declares. An absent key is a category the tool does not touch.
 *
 * @since 0.1.0
 * @category models
 */
export interface Capabilities {
  readonly network?: { readonly allowedHosts: ReadonlyArray<string> }
  readonly secrets?: ReadonlyArray<string>
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
 * The failures of the categories. A tool need not declare them.
 *
 * @since 0.1.0
 * @category errors
 */
export type CapabilityError =
  | NetworkError
  | SecretsError
  | StorageError
  | FilesError
  | ProcessError
  | AttachmentsError
  | RecordsError
  | AgentsError

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
  readonly [K in keyof C]-?: K extends Category ? SuppliedBy<C[K]>[K] : UnknownCategory<K>
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
