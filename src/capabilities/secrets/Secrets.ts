/**
 * Secrets a tool may read, by reference. A value comes as `Redacted`, so that it prints as nothing.
 *
 * @since 0.1.0
 */
import { Context, Effect, type Layer, Redacted, Schema } from "effect"
import { ref } from "../../policy/lattice/dimensions/Ref.js"
import { declared } from "../declared.js"
import { complete } from "../doubles.js"
import type { IsLiteral, NotLiteral } from "../Literals.js"
import { access, layerOf } from "../phantom.js"
import { SecretsError, type SecretsOperations } from "./SecretsOperations.js"

/**
 * A reference a tool declares: a name, or `a/b/*` for all that lies deeper than `a/b`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const SecretRef = declared("SecretRef", ref.parse)

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
export const SecretsRefTypeId: unique symbol = Symbol.for("bailiwick/SecretsRef")

/**
 * @since 0.1.0
 */
export declare namespace Secrets {
  /**
   * The requirement "may read the secret N". It exists in types only, and is covered by a declared `N` or `a/b/*`.
   *
   * @since 0.1.0
   * @category requirements
   */
  export interface Ref<out N extends string> {
    readonly [SecretsRefTypeId]: N
  }

  /**
   * What reading a ref requires: the ref itself when it is literal, the category otherwise.
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
   * What a declared ref supplies, or the sentence that says why it can never be used.
   *
   * @since 0.1.0
   * @category requirements
   */
  export type Declared<D extends string> = string extends D ? Ref<string> | NotLiteral : DeclaredLiteral<D>

  type DeclaredLiteral<D extends string> = D extends
    | ""
    | `${string}${"*" | "//" | "\\"}${string}`
    | `/${string}`
    | `${string}/`
    ? D extends `${infer Folder}/*`
      ? Folder extends "" | `${string}*${string}`
        ? Malformed<D>
        : Ref<`${Folder}/${string}`>
      : Malformed<D>
    : Ref<D>

  type Malformed<D extends string> = `secrets: '${D}' is not a name or a folder such as 'a/b/*'`

  /**
   * What a declaration supplies, or the sentences that say what is wrong with it.
   *
   * @since 0.1.0
   * @category requirements
   */
  export type Supplied<D> = D extends ReadonlyArray<infer N extends string> ? Secrets | Declared<N> : never

  /**
   * All that the category can be asked for; a mock supplies it.
   *
   * @since 0.1.0
   * @category requirements
   */
  export type Everything = Secrets | Ref<string>

  /**
   * The operations themselves, over plain data, as a backend writes them.
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
  /** What a tool declares, and what goes in and out of the operations, as schemas. */
  static readonly schemas = { Declaration: SecretsDeclaration, Ref: SecretRef } as const

  /** The operations as data, for a service on the far side of a process boundary. */
  static readonly operations = {
    get: {
      payload: Schema.Struct({ ref: Schema.String }),
      success: Schema.Redacted(Schema.String),
      failure: SecretsError
    }
  } as const

  static make(operations: Secrets.Operations): Secrets.Service {
    return { get: (ref) => operations.get({ ref }) }
  }

  /** The value of a secret. */
  static readonly get: Secrets.Service["get"] = (ref) => access(Secrets, (secrets) => secrets.get(ref))

  /** The service of these operations, made with the layer; it supplies whatever the category can be asked for. */
  static layer(operations: () => Secrets.Operations): Layer.Layer<Secrets.Everything> {
    return layerOf<Secrets.Everything>()(Secrets, () => Secrets.make(operations()))
  }

  /** A test double that holds the given secrets. */
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

  /** A test double from a part of the service; what is missing dies when it is called. */
  static layerTest(service: Partial<Secrets.Service>): Layer.Layer<Secrets.Everything> {
    return layerOf<Secrets.Everything>()(Secrets, () => complete("Secrets", { get: "effect" }, service))
  }
}
