/** The category `secrets`, as the table of categories has it. */
import { Either } from "effect"
import { ref } from "../../policy/lattice/dimensions/Ref.js"
import { backendOf, type Description } from "../Category.js"
import { nothing, scopesOf } from "../scopes.js"
import type { IfUnused, Quoted, Undeclared } from "../sentences.js"
import { scoped } from "./ScopedSecrets.js"
import { Secrets } from "./Secrets.js"
import { SecretsBackend } from "./SecretsBackend.js"
import {
  placesOf,
  plainOf,
  type SealedSecret,
  SecretsDeclaration,
  sealedOf,
  sealScopes
} from "./SecretsDeclaration.js"
import { SecretsError } from "./SecretsOperations.js"

type Declared = typeof SecretsDeclaration.Type

/** The sentence about a requirement that is not covered. */
export type Complaint<X, S = never> =
  X extends Secrets.Ref<infer N>
    ? Secrets.Seal<N> extends S
      ? `secret '${N}' is sealed: take it with Secrets.sealed, or declare '${N}' alone to read it`
      : Undeclared<`secrets needs '${N}'`>
    : X extends Secrets.Seal<infer N>
      ? Secrets.Ref<N> extends S
        ? `secret '${N}' is declared to be read: write { ref: '${N}', hosts } to seal it`
        : Undeclared<`secrets needs { ref: '${N}', hosts }`>
      : X extends Secrets
        ? Undeclared<"secrets">
        : never

/** A sentence for each secret that is declared and never used. */
export type Unused<R, D> = Secrets extends R
  ? never
  : D extends ReadonlyArray<infer N extends string>
    ? UnusedSecret<R, N>
    : D extends ReadonlyArray<infer N>
      ? N extends string
        ? UnusedSecret<R, N>
        : UnusedSeal<R, N>
      : never

type UnusedSecret<R, N extends string> = N extends unknown
  ? IfUnused<R, Secrets.Declared<N>, `secrets ${Quoted<N>}`>
  : never

type UnusedSeal<R, N> = N extends { readonly ref: infer F extends string }
  ? IfUnused<R, Secrets.DeclaredSeal<N>, `secrets { ref: ${Quoted<F>} }`>
  : never

const sealedInWords = (entry: typeof SealedSecret.Type): string =>
  `${entry.ref}, sealed, to ${entry.hosts.join(" or ")} in ${placesOf(entry).join(" or ")}`

/** One by one: a host or a place more is something more. */
const eachSeal = (entry: typeof SealedSecret.Type): ReadonlyArray<typeof SealedSecret.Type> =>
  entry.hosts.flatMap((host) =>
    placesOf(entry).map((place) => ({ ref: entry.ref, hosts: [host], in: [place] }))
  )

export const category = {
  declaration: SecretsDeclaration,
  error: SecretsError,
  tags: [Secrets],
  backends: [SecretsBackend],
  facet: "secrets",
  aliases: ["secret", "env", "environment", "keys", "credentials"],
  surface: (entries) => [
    { label: "secrets", items: [...plainOf(entries), ...sealedOf(entries).map(sealedInWords)] }
  ],
  listed: (entries) => [
    ...plainOf(entries).map((one) => ({ key: "secrets", value: one, alone: [one], open: false })),
    ...sealedOf(entries)
      .flatMap(eachSeal)
      .map((one) => ({ key: "secrets", value: sealedInWords(one), alone: [one], open: false }))
  ],
  authority: (entries) =>
    Either.gen(function* () {
      const read = yield* scopesOf(nothing.secrets.read, "ref", ref.parse, plainOf(entries))
      return { secrets: { read, seal: yield* sealScopes(entries) } }
    }),
  services: (_, making) => [
    [
      Secrets.key,
      Secrets.make(scoped(making.holder, backendOf(making, SecretsBackend), making.revealed, making.sealing))
    ]
  ]
} as const satisfies Description<Declared>
