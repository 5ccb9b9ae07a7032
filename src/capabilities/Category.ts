/**
 * What a category is made of. Each category describes itself once, in its own folder; the table in `Capabilities.ts`
 * holds the descriptions, and everything that walks the categories walks that table.
 *
 * @since 0.1.0
 */
import { Context, type Either, type Schema } from "effect"
import type { Holder } from "../policy/gate/Asking.js"
import type { Sets } from "../policy/lattice/Authority.js"
import type { Facet } from "../policy/lattice/Facets.js"
import type { ScopeInvalid } from "../policy/lattice/ScopeInvalid.js"
import type { Attachment } from "./attachments/AttachmentsOperations.js"
import type { Paths } from "./Paths.js"
import type { ProcessBackend } from "./process/ProcessBackend.js"
import type { RemoteTag } from "./Remote.js"
import type { Sealing } from "./secrets/Sealing.js"

/**
 * An attachment that is somewhere, and may be read there.
 *
 * @since 0.1.0
 * @category models
 */
export interface Located {
  readonly attachment: Attachment
  readonly path: string
}

/**
 * What is there for the services of a tool before it is known what came with the turn.
 *
 * @since 0.1.0
 * @category models
 */
export interface Given {
  readonly holder: Holder
  readonly backends: Context.Context<never>
  /** The binaries that were found for this turn's policy, by name. */
  readonly pins: Map<string, ProcessBackend.Pinned>
  /** Hears of every secret that is given out. */
  readonly revealed: (value: string) => void
  /** Hears of what a tool itself says must not be shown: it is not, in this turn. */
  readonly hidden: (value: string) => void
  /** The sealed secrets of the tool in the turn. */
  readonly sealing: Sealing
}

/**
 * What the services of one tool in one turn are made of.
 *
 * @since 0.1.0
 * @category models
 */
export interface Making extends Given {
  readonly paths: Paths
  readonly session: string
  readonly personality: string | undefined
  /** The turn's attachments that the holder may see. */
  readonly attached: ReadonlyArray<Located>
  /** Those that are nowhere on this machine: they are not listed, and who opens one is told why it cannot be. */
  readonly unplaced: ReadonlyArray<Attachment>
}

/**
 * A service, under the key of its tag.
 *
 * @since 0.1.0
 * @category models
 */
export type Made = readonly [key: string, service: unknown]

/**
 * How a declaration is read: what it leaves to the policy is everything, or nothing; `~` is the home.
 *
 * @since 0.1.0
 * @category models
 */
export interface Reading {
  readonly deferred: "everything" | "nothing"
  readonly home: string | undefined
}

/**
 * One line about a declaration: a label, and the words behind it.
 *
 * @since 0.1.0
 * @category models
 */
export interface SurfaceLine {
  readonly label: string
  readonly items: ReadonlyArray<string> | string | undefined
  readonly of?: ReadonlyArray<string> | undefined
}

/**
 * One thing that a declaration lists, under its key as it is written there, and a declaration of that thing alone. A
 * declaration asks for what its entries ask for, and for nothing else.
 *
 * @since 0.1.0
 * @category models
 */
export interface Listed<out D = unknown> {
  readonly key: string
  readonly value: string
  readonly alone: D
  /** It names nothing, and stands for whatever a policy allows. */
  readonly open: boolean
}

/** A class of errors whose codes are a closed list. */
interface ErrorClass {
  readonly fields: { readonly code: { readonly literals: ReadonlyArray<string> } }
}

/**
 * `D` is what a tool writes under the category's key.
 *
 * @since 0.1.0
 * @category models
 */
export interface Description<in D> {
  readonly declaration: Schema.Schema.AnyNoContext
  readonly error: ErrorClass
  /** The tags of the services that it gives a tool. */
  readonly tags: ReadonlyArray<RemoteTag>
  /** The tags of the backends that it stands on. */
  readonly backends: ReadonlyArray<{ readonly key: string }>
  /** What a tool must be left something of to have something to do. */
  readonly facet: Facet
  /** Words that people write for it, other than its name. */
  readonly aliases: ReadonlyArray<string>
  /** Whether a declaration is of what the tool's children may touch, and not the tool: it gives the tool no service. */
  readonly isForChildren?: (declared: D) => boolean
  /** A declaration in words. */
  readonly surface: (declared: D) => ReadonlyArray<SurfaceLine>
  /** A declaration, thing by thing. */
  readonly listed: (declared: D) => ReadonlyArray<Listed>
  /** A declaration as scopes of the lattice. */
  readonly authority: (declared: D, reading: Reading) => Either.Either<Sets, ScopeInvalid>
  /** The scoped services that a declaration gives a tool. */
  readonly services: (declared: D, making: Making) => ReadonlyArray<Made>
}

/**
 * The backend of a category. That it is there was asked before.
 *
 * @since 0.1.0
 * @category making
 */
export const backendOf = <I, S>({ backends }: Pick<Given, "backends">, tag: Context.Tag<I, S>): S =>
  Context.unsafeGet(backends as Context.Context<I>, tag)
