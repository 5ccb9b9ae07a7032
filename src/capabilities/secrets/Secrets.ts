/**
 * Secrets that a tool may read, by reference. A value is `Redacted`, so that it does not show when it is printed.
 *
 * @since 0.1.0
 */
import { Context, Effect, type Layer, Redacted, Schema } from "effect"
import { ref } from "../../policy/lattice/dimensions/Ref.js"
import { declared } from "../declared.js"
import { complete } from "../doubles.js"
import type { Dynamic, IfLiteral, IsLiteral } from "../Literals.js"
import { access, layerOf } from "../phantom.js"
import { SecretsError, type SecretsOperations } from "./SecretsOperations.js"

/**
 * A reference that a tool declares: a name, or `a/b/*` for everything that lies deeper than `a/b`.
 *
 * @since 0.1.0
 * @category schemas
 */
const SecretRef = declared("SecretRef", ref.parse)

/**
 * The `secrets` of a declaration.
 *
 * @since 0.1.0
 * @category schemas
 */
export const SecretsDeclaration = Schema.Array(SecretRef)

/**
 * @since 0.1.0
 * @category symbols
 */
const SecretsRefTypeId: unique symbol = Symbol.for("bailiwick/SecretsRef")

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
  export type Supplied<D> = D extends ReadonlyArray<infer N extends string> ? Secrets | Declared<N> : never

  /**
   * Everything that the category can be asked for. A mock supplies it.
   *
   * @since 0.1.0
   * @category requirements
   */
  export type Everything = Secrets | Ref<string>

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
  static readonly schemas = { Declaration: SecretsDeclaration, Ref: SecretRef } as const

  /** The operations as data, for a service on the far side of a process boundary. */
  static readonly operations = {
    get: {
      payload: Schema.Struct({ ref: Schema.String }),
      success: Schema.Redacted(Schema.String),
      failure: SecretsError
    }
  } as const

  /** Makes the service from its operations. */
  static make(operations: Secrets.Operations): Secrets.Service {
    return { get: (ref) => operations.get({ ref }) }
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

  /** A layer of the service over these operations. It supplies everything that the category can be asked for. */
  static layer(operations: () => Secrets.Operations): Layer.Layer<Secrets.Everything> {
    return layerOf<Secrets.Everything>()(Secrets, () => Secrets.make(operations()))
  }

  /**
   * A test double that holds the given secrets. Another ref fails with `SECRET_NOT_FOUND`.
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
    const held = new Map(values instanceof Map ? values : Object.entries(values))
    return {
      get: ({ ref }) => {
        const value = held.get(ref)
        return value === undefined
          ? new SecretsError({ code: "SECRET_NOT_FOUND", detail: `the mock holds no secret ${ref}` })
          : Effect.succeed(Redacted.make(value))
      }
    }
  }

  /** A test double made of a part of the service. A method that is missing dies when it is called, and names itself. */
  static layerTest(service: Partial<Secrets.Service>): Layer.Layer<Secrets.Everything> {
    return layerOf<Secrets.Everything>()(Secrets, () => complete("Secrets", { get: "effect" }, service))
  }
}
