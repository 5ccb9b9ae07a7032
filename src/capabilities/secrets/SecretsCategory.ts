/** The category `secrets`, as the table of categories has it. */
import { Either } from "effect"
import { ref } from "../../policy/lattice/dimensions/Ref.js"
import { backendOf, type Description } from "../Category.js"
import type { Items } from "../Literals.js"
import { nothing, scopesOf } from "../scopes.js"
import type { IfUnused, Quoted, Undeclared } from "../sentences.js"
import { scoped } from "./ScopedSecrets.js"
import { Secrets, SecretsDeclaration } from "./Secrets.js"
import { SecretsBackend } from "./SecretsBackend.js"
import { SecretsError } from "./SecretsOperations.js"

type Declared = typeof SecretsDeclaration.Type

/** The sentence about a requirement that is not covered. */
export type Complaint<X> =
  X extends Secrets.Ref<infer N>
    ? Undeclared<`secrets needs '${N}'`>
    : X extends Secrets
      ? Undeclared<"secrets">
      : never

/** A sentence for each secret that is declared and never used. */
export type Unused<R, D> = Secrets extends R ? never : UnusedSecret<R, Items<D>>

type UnusedSecret<R, N extends string> = N extends unknown
  ? IfUnused<R, Secrets.Declared<N>, `secrets ${Quoted<N>}`>
  : never

export const category = {
  declaration: SecretsDeclaration,
  error: SecretsError,
  tags: [Secrets],
  backends: [SecretsBackend],
  facet: "secrets",
  aliases: ["secret", "env", "environment", "keys", "credentials"],
  surface: (refs) => [{ label: "secrets", items: refs }],
  listed: (refs) => refs.map((ref) => ({ key: "secrets", value: ref, alone: [ref], open: false })),
  authority: (refs) =>
    Either.map(scopesOf(nothing.secrets.read, "ref", ref.parse, refs), (read) => ({ secrets: { read } })),
  services: (_, making) => [
    [Secrets.key, Secrets.make(scoped(making.holder, backendOf(making, SecretsBackend), making.revealed))]
  ]
} as const satisfies Description<Declared>
