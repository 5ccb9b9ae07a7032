/**
 * What a call will ask for, as far as its arguments tell: how `explain` answers for a call without running it. It
 * decides nothing: whatever the call really asks for is asked again when it runs.
 *
 * @since 0.1.0
 */
import { Data } from "effect"

/**
 * What is written of a record, should it be an agent: whether any of it is authority, and which keys those are with
 * their values; and whether there is anything else.
 *
 * @since 0.1.0
 * @category models
 */
export interface Writes {
  readonly authority: boolean
  readonly others: boolean
  readonly proposes?: Readonly<Record<string, unknown>> | undefined
}

/**
 * Paths may be relative, as in the call itself.
 *
 * @since 0.1.0
 * @category models
 */
export type Ask = Data.TaggedEnum<{
  Http: { readonly method: string; readonly url: string }
  File: { readonly action: "read" | "write" | "delete"; readonly path: string }
  Exec: { readonly argv: ReadonlyArray<string>; readonly cwd?: string | undefined }
  Shell: { readonly cwd?: string | undefined }
  Secret: { readonly ref: string }
  Sealed: { readonly ref: string; readonly url: string; readonly place: string }
  Storage: {}
  Attachment: { readonly ref: string }
  Records: {}
  Record: {
    readonly action: "read" | "create" | "update" | "delete"
    readonly id: string
    /** The class it is to have; what class it has, only a look at it tells. */
    readonly class?: string | undefined
    readonly writes: Writes
  }
  Grant: { readonly agent: string; readonly grants: ReadonlyArray<string> }
}>

const { Attachment, Exec, File, Grant, Http, Record, Records, Sealed, Secret, Shell, Storage } =
  Data.taggedEnum<Ask>()

/**
 * @since 0.1.0
 * @category constructors
 */
export const request = (method: string, url: string): Ask => Http({ method, url })

/**
 * @since 0.1.0
 * @category constructors
 */
export const read = (path: string): Ask => File({ action: "read", path })

/**
 * @since 0.1.0
 * @category constructors
 */
export const write = (path: string): Ask => File({ action: "write", path })

/**
 * @since 0.1.0
 * @category constructors
 */
export const remove = (path: string): Ask => File({ action: "delete", path })

/**
 * @since 0.1.0
 * @category constructors
 */
export const exec = (binary: string, args: ReadonlyArray<string> = [], cwd?: string): Ask =>
  Exec({ argv: [binary, ...args], cwd })

/**
 * @since 0.1.0
 * @category constructors
 */
export const shell = (cwd?: string): Ask => Shell({ cwd })

/**
 * @since 0.1.0
 * @category constructors
 */
export const secret = (ref: string): Ask => Secret({ ref })

/**
 * A secret that a request to this URL carries sealed, in a place such as `header:authorization`.
 *
 * @since 0.1.0
 * @category constructors
 */
export const sealed = (ref: string, url: string, place = "header:authorization"): Ask =>
  Sealed({ ref, url, place })

/**
 * The store of the declared scope.
 *
 * @since 0.1.0
 * @category constructors
 */
export const storage: Ask = Storage()

/**
 * @since 0.1.0
 * @category constructors
 */
export const attachment = (ref: string): Ask => Attachment({ ref })

/**
 * Whatever records may be read: which those are, only a look at them tells.
 *
 * @since 0.1.0
 * @category constructors
 */
export const records: Ask = Records()

/**
 * @since 0.1.0
 * @category constructors
 */
export const record = (
  action: "read" | "create" | "update" | "delete",
  id: string,
  options: {
    readonly class?: string | undefined
    readonly writes?: Writes | undefined
  } = {}
): Ask =>
  Record({ action, id, class: options.class, writes: options.writes ?? { authority: false, others: true } })

/**
 * @since 0.1.0
 * @category constructors
 */
export const grant = (agent: string, grants: ReadonlyArray<string>): Ask => Grant({ agent, grants })
