/** The category `storage`, as the table of categories has it. */
import { Either } from "effect"
import { storageScope } from "../../policy/lattice/dimensions/Name.js"
import { backendOf, type Description } from "../Category.js"
import { nothing, scopesOf } from "../scopes.js"
import type { NeverUsed, Undeclared } from "../sentences.js"
import { namespaceOf } from "./Namespace.js"
import { scoped } from "./ScopedStorage.js"
import { Storage, StorageDeclaration } from "./Storage.js"
import { StorageBackend } from "./StorageBackend.js"
import { StorageError } from "./StorageOperations.js"

type Declared = typeof StorageDeclaration.Type

/** The sentence about a requirement that is not covered. */
export type Complaint<X> = X extends Storage ? Undeclared<"storage"> : never

/** A sentence when the store is declared and never used. */
export type Unused<R> = Storage extends R ? never : NeverUsed<"storage">

export const category = {
  declaration: StorageDeclaration,
  error: StorageError,
  tags: [Storage],
  backends: [StorageBackend],
  facet: "storage",
  aliases: ["kv", "store", "cache", "database"],
  surface: ({ scope }) => [{ label: "storage", items: scope }],
  listed: (declared) => [{ key: "storage.scope", value: declared.scope, alone: declared, open: false }],
  authority: ({ scope }) =>
    Either.map(scopesOf(nothing.storage.use, "scope", storageScope.parse, [scope]), (use) => ({
      storage: { use }
    })),
  services: (declared, making) => {
    const { holder, personality, session } = making
    const namespace = namespaceOf(declared.scope, holder, { session, personality })
    const operations = scoped(holder, declared, namespace, backendOf(making, StorageBackend))
    return [[Storage.key, Storage.make(operations)]]
  }
} as const satisfies Description<Declared>
