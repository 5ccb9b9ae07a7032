/**
 * Secrets that a tool may read, by reference, and secrets that it may send and never sees. A value is `Redacted`, so that it
 * does not show when it is printed.
 *
 * @since 0.1.0
 */
import { Context, Effect, type Layer, Redacted, Schema } from "effect"
import { complete } from "../doubles.js"
import type { Dynamic, IfLiteral, IsLiteral } from "../Literals.js"
import { access, layerOf } from "../phantom.js"
import { made } from "../Remote.js"
import type { MissingKey, UnknownKey } from "../spelling.js"
import { SealForm } from "./SealForm.js"
import { SealedSecret, SecretRef, SecretsDeclaration } from "./SecretsDeclaration.js"
import { SecretsError, type SecretsOperations } from "./SecretsOperations.js"

/**
 * @since 0.1.0
 * @category symbols
 */
const SecretsRefTypeId: unique symbol = Symbol.for("bailiwick/SecretsRef")

/**
 * @since 0.1.0
 * @category symbols
 */
const SecretsSealTypeId: unique symbol = Symbol.for("bailiwick/SecretsSeal")

/**
 * @since 0.1.0
 */
export declare namespace Secrets {
  /**
   * The requirement "may read the secret N". It exists in types only. A declared `N` or `a/b/*` covers it.
   *
   * @since 0.1.0
   * @category requirements
   */
  export interface Ref<out N extends string> {
    readonly [SecretsRefTypeId]: N
  }

  /**
   * The requirement "may send the secret N sealed". It exists in types only. A declared `{ ref: N, hosts }` covers it.
   *
   * @since 0.1.0
   * @category requirements
   */
  export interface Seal<out N extends string> {
    readonly [SecretsSealTypeId]: N
  }

  /**
   * The requirement of a sealed use: the ref itself when it is literal, the category otherwise.
   *
   * @since 0.1.0
   * @category requirements
   */
  export type SealedBy<N extends string> = string extends N ? Secrets : SealedByLiteral<N>

  type SealedByLiteral<N extends string> = N extends unknown
    ? IsLiteral<N> extends true
      ? Seal<N>
      : Secrets
    : never

  /**
   * What a sealed secret becomes where it is put: itself, unless it is said.
   *
   * @since 0.1.0
   * @category models
   */
  export type Form = SealForm

  /**
   * The requirement of a read: the ref itself when it is literal, the category otherwise.
   *
   * @since 0.1.0
   * @category requirements
   */
  export type RequiredBy<N extends string> = string extends N ? Secrets : RequiredByLiteral<N>

  type RequiredByLiteral<N extends string> = N extends unknown
    ? IsLiteral<N> extends true
      ? Ref<N>
      : Secrets
    : never

  /**
   * The requirement that a declared ref supplies, or the sentence that says why it can never be used.
   *
   * @since 0.1.0
   * @category requirements
   */
  export type Declared<D extends string> = D extends
    | ""
    | `${string}${"*" | "//" | "\\"}${string}`
    | `/${string}`
    | `${string}/`
    | Dynamic
    ? DeclaredOdd<D>
    : IfLiteral<D, Ref<D>, Ref<string>>

  type DeclaredOdd<D extends string> = D extends Dynamic
    ? Ref<string>
    : D extends `${infer Folder}/*`
      ? Folder extends "" | `${string}*${string}`
        ? Malformed<D>
        : Ref<`${Folder}/${string}`>
      : Malformed<D>

  type Malformed<D extends string> = `secrets: '${D}' is not a name or a folder such as 'a/b/*'`

  /**
   * The requirements that a declaration supplies, or the sentences that say what is wrong with it.
   *
   * @since 0.1.0
   * @category requirements
   */
  export type Supplied<D> =
    // Most declare only what they read, and it saves the rest.
    D extends ReadonlyArray<infer N extends string> ? Secrets | Declared<N> : SuppliedMixed<D>

  type SuppliedMixed<D> =
    D extends ReadonlyArray<infer N> ? Secrets | (N extends string ? Declared<N> : DeclaredSeal<N>) : never

  /**
   * As `Declared`, for an entry that seals.
   *
   * @since 0.1.0
   * @category requirements
   */
  export type DeclaredSeal<N> = keyof N extends "ref" | "hosts" | "in"
    ? N extends {
        readonly ref: infer F extends string
        readonly hosts: ReadonlyArray<infer H extends string>
      }
      ? SealOf<Declared<F>> | WrongHost<H> | WrongPlaces<N>
      : MissingKey<"secrets", N, "ref" | "hosts">
    : UnknownKey<"secrets", N, "ref" | "hosts" | "in", "ref, hosts, in">

  type SealOf<S> = S extends Ref<infer P> ? Seal<P> : S

  type WrongHost<H extends string> = H extends Dynamic
    ? never
    : H extends "" | "*" | `*:${string}` | `${string}${"/" | " " | "@"}${string}`
      ? `secrets: '${H}' is no host that a sealed secret may go to`
      : never

  type WrongPlaces<N> = N extends { readonly in: ReadonlyArray<infer P extends string> }
    ? WrongPlace<P>
    : never

  type WrongPlace<P extends string> = P extends
    | "header"
    | "query"
    | "path"
    | "body"
    | `header:${string}`
    | `query:${string}`
    | Dynamic
    ? never
    : `secrets: '${P}' is no place, such as 'header:authorization', 'query:key', 'path' or 'body'`

  /**
   * Everything that the category can be asked for. A mock supplies it.
   *
   * @since 0.1.0
   * @category requirements
   */
  export type Everything = Secrets | Ref<string> | Seal<string>

  /**
   * The operations over plain data, as a backend implements them.
   *
   * @since 0.1.0
   * @category models
   */
  export interface Operations extends SecretsOperations {}

  /**
   * @since 0.1.0
   * @category models
   */
  export interface Service {
    readonly get: <const N extends string>(
      ref: N
    ) => Effect.Effect<Redacted.Redacted<string>, SecretsError, RequiredBy<N>>
    readonly sealed: <const N extends string>(
      ref: N,
      form?: Form
    ) => Effect.Effect<string, SecretsError, SealedBy<N>>
  }

  /**
   * @since 0.1.0
   * @category testing
   */
  export type MockValues = Readonly<Record<string, string>> | ReadonlyMap<string, string>
}

/**
 * @since 0.1.0
 * @category tags
 */
export class Secrets extends Context.Tag("bailiwick/Secrets")<Secrets, Secrets.Service>() {
  /** Schemas of the declaration, and of what goes in and out of the operations. */
  static readonly schemas = {
    Declaration: SecretsDeclaration,
    Ref: SecretRef,
    Sealed: SealedSecret,
    Form: SealForm
  } as const

  /** The operations as data, for a service on the far side of a process boundary. */
  static readonly operations = {
    get: {
      payload: Schema.Struct({ ref: Schema.String }),
      success: Schema.Redacted(Schema.String),
      failure: SecretsError
    },
    sealed: {
      payload: Schema.Struct({
        ref: Schema.String,
        form: Schema.optionalWith(SealForm, { exact: true })
      }),
      success: Schema.String,
      failure: SecretsError
    }
  } as const

  /** Makes the service from its operations. */
  static make(operations: Secrets.Operations): Secrets.Service {
    return made(
      {
        get: (ref) => operations.get({ ref }),
        sealed: (ref, form) => operations.sealed(form === undefined ? { ref } : { ref, form })
      },
      operations
    )
  }

  /**
   * Reads a secret. Its ref must be in `secrets`. The value is `Redacted`: take it out with `Redacted.value` where it
   * is used, and nowhere else. Fails with `SECRET_NOT_DECLARED` when the tool does not hold the ref, and with
   * `SECRET_NOT_FOUND` when nobody has configured it.
   *
   * @example
   * ```ts
   * import { Secrets } from "bailiwick"
   * import { Effect, Redacted } from "effect"
   *
   * export const authorization = Effect.map(Secrets.get("GITHUB_TOKEN"), (token) => `Bearer ${Redacted.value(token)}`)
   * ```
   */
  static readonly get: Secrets.Service["get"] = (ref) => access(Secrets, (secrets) => secrets.get(ref))

  /**
   * Takes a token that stands for a secret. The tool never sees the value: the network puts it in the token's place, in
   * requests to the hosts and in the places that are declared, and refuses the token anywhere else. The ref must be in
   * `secrets` with its hosts. A token is good for the turn, and for the tool that took it.
   *
   * With a form the token becomes something else: `{ as: "basic", user }` the credentials of Basic authentication,
   * `{ as: "hmac", over }` a signature over the request that is sent, `{ as: "aws4", … }` one as AWS wants it.
   *
   * @example
   * ```ts
   * import { Network, Secrets } from "bailiwick"
   * import { Effect } from "effect"
   *
   * export const repositories = Effect.flatMap(Secrets.sealed("GITHUB_TOKEN"), (token) =>
   *   Network.get("https://api.github.com/user/repos", { headers: { authorization: `Bearer ${token}` } })
   * )
   * ```
   */
  static readonly sealed: Secrets.Service["sealed"] = (ref, form) =>
    access(Secrets, (secrets) => secrets.sealed(ref, form))

  /** A layer of the service over these operations. It supplies everything that the category can be asked for. */
  static layer(operations: () => Secrets.Operations): Layer.Layer<Secrets.Everything> {
    return layerOf<Secrets.Everything>()(Secrets, () => Secrets.make(operations()))
  }

  /**
   * A test double that holds the given secrets. Another ref fails with `SECRET_NOT_FOUND`. What is sealed is
   * `<sealed GITHUB_TOKEN>`, and a mock of the network sees that; with a form it is `<sealed GITHUB_TOKEN as basic>`.
   *
   * @example
   * ```ts
   * import { Secrets } from "bailiwick"
   * import { Effect } from "effect"
   *
   * const secrets = Secrets.mock({ GITHUB_TOKEN: "only-a-mock" })
   * const token = await Effect.runPromise(Effect.provide(Secrets.get("GITHUB_TOKEN"), secrets))
   * console.log(String(token))
   * ```
   *
   * ```text output
   * <redacted>
   * ```
   */
  static mock(values: Secrets.MockValues = {}): Layer.Layer<Secrets.Everything> {
    return Secrets.layer(() => Secrets.memory(values))
  }

  /** The operations of the mock. */
  static memory(values: Secrets.MockValues): Secrets.Operations {
    const held = new Map<string, string>(values instanceof Map ? values : Object.entries(values))
    const found = <A>(ref: string, answer: (value: string) => A): Effect.Effect<A, SecretsError> => {
      const value = held.get(ref)
      return value === undefined
        ? new SecretsError({ code: "SECRET_NOT_FOUND", detail: `the mock holds no secret ${ref}` })
        : Effect.succeed(answer(value))
    }
    return {
      get: ({ ref }) => found(ref, (value) => Redacted.make(value)),
      sealed: ({ form, ref }) =>
        found(ref, () => `<sealed ${ref}${form === undefined ? "" : ` as ${form.as}`}>`)
    }
  }

  /** A test double made of a part of the service. A method that is missing dies when it is called, and names itself. */
  static layerTest(service: Partial<Secrets.Service>): Layer.Layer<Secrets.Everything> {
    return layerOf<Secrets.Everything>()(Secrets, () =>
      complete("Secrets", { get: "effect", sealed: "effect" }, service)
    )
  }
}
