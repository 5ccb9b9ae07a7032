/**
 * Files that came with the current turn, of the kinds a tool declares. A `ref` is opaque: it names no path.
 *
 * @since 0.1.0
 */
import { Context, Effect, Layer, Option, Schema } from "effect"
import { bytesOf } from "../bytes.js"
import { complete } from "../doubles.js"
import { Files } from "../files/Files.js"
import type { Items } from "../Literals.js"
import { access, layerOf } from "../phantom.js"
import { made } from "../Remote.js"
import type { MissingKey, UnknownKey } from "../spelling.js"
import {
  Attachment,
  AttachmentKind,
  AttachmentsError,
  type AttachmentsOperations
} from "./AttachmentsOperations.js"

/**
 * The `attachments` of a declaration.
 *
 * @since 0.1.0
 * @category schemas
 */
export const AttachmentsDeclaration = Schema.Struct({
  kinds: Schema.Union(Schema.Literal("*"), Schema.Array(AttachmentKind))
}).annotations({ parseOptions: { onExcessProperty: "error" } })

/**
 * @since 0.1.0
 * @category symbols
 */
const AttachmentsKindTypeId: unique symbol = Symbol.for("bailiwick/AttachmentsKind")

/**
 * @since 0.1.0
 */
export declare namespace Attachments {
  /**
   * @since 0.1.0
   * @category models
   */
  export type KindName = typeof AttachmentKind.Type

  /**
   * The requirement "may see attachments of the kind K".
   *
   * @since 0.1.0
   * @category requirements
   */
  export interface Kind<out K extends string> {
    readonly [AttachmentsKindTypeId]: K
  }

  /**
   * The requirement of listing: the kind when one is given, the category otherwise.
   *
   * @since 0.1.0
   * @category requirements
   */
  export type RequiredBy<K extends KindName | undefined> = K extends KindName ? Kind<K> : Attachments

  /**
   * The requirement that a declared kind supplies.
   *
   * @since 0.1.0
   * @category requirements
   */
  export type Declared<D extends string> = D extends "*" ? Kind<string> : Kind<D>

  /**
   * The requirements that a declaration supplies, or the sentences that say what is wrong with it.
   *
   * @since 0.1.0
   * @category requirements
   */
  export type Supplied<D> = keyof D extends "kinds"
    ? D extends { readonly kinds: infer L }
      ? Attachments | Files | Declared<Items<L>>
      : MissingKey<"attachments", D, "kinds">
    : UnknownKey<"attachments", D, "kinds"> | Known<D>

  type Known<D> = D extends { readonly kinds: unknown } ? Supplied<Pick<D, "kinds">> : never

  /**
   * Everything that the category can be asked for. A mock supplies it.
   *
   * @since 0.1.0
   * @category requirements
   */
  export type Everything = Attachments | Kind<string>

  /**
   * The operations over plain data, as a backend implements them. `open` answers with a local path.
   *
   * @since 0.1.0
   * @category models
   */
  export interface Operations extends AttachmentsOperations {}

  /**
   * `open` and `openByRef` answer with a local path, which `Files` can then read.
   *
   * @since 0.1.0
   * @category models
   */
  export interface Service {
    readonly list: <const K extends KindName | undefined = undefined>(
      kind?: K
    ) => Effect.Effect<ReadonlyArray<Attachment>, AttachmentsError, RequiredBy<K>>
    readonly open: (attachment: Attachment) => Effect.Effect<string, AttachmentsError, Attachments>
    readonly openByRef: (ref: string) => Effect.Effect<string, AttachmentsError, Attachments>
    readonly read: (ref: string) => Effect.Effect<Uint8Array, AttachmentsError, Attachments>
  }

  /**
   * An attachment of a mock, with the path and the content that it answers with.
   *
   * @since 0.1.0
   * @category testing
   */
  export interface MockAttachment extends Partial<Attachment> {
    readonly path?: string
    readonly content?: string | Uint8Array
  }
}

/**
 * @since 0.1.0
 * @category tags
 */
export class Attachments extends Context.Tag("bailiwick/Attachments")<Attachments, Attachments.Service>() {
  /** Schemas of the declaration, and of what goes in and out of the operations. */
  static readonly schemas = { Declaration: AttachmentsDeclaration, Kind: AttachmentKind, Attachment } as const

  /** The operations as data, for a service on the far side of a process boundary. */
  static readonly operations = {
    list: {
      payload: Schema.Struct({ kind: Schema.NullOr(AttachmentKind) }),
      success: Schema.Array(Attachment),
      failure: AttachmentsError
    },
    open: {
      payload: Schema.Struct({ ref: Schema.String }),
      success: Schema.String,
      failure: AttachmentsError
    },
    read: {
      payload: Schema.Struct({ ref: Schema.String }),
      success: Schema.Uint8ArrayFromBase64,
      failure: AttachmentsError
    }
  } as const

  /** Makes the service from its operations. */
  static make(operations: Attachments.Operations): Attachments.Service {
    const service: Attachments.Service = {
      list: (kind) => operations.list({ kind: kind ?? null }),
      // The turn's own list is the authority on what a ref stands for: a forged attachment opens nothing.
      open: (attachment) =>
        Effect.flatMap(operations.list({ kind: null }), (held) => {
          const own = held.find(({ ref }) => ref === attachment.ref)
          if (own === undefined) return notFound(attachment.ref)
          return own.type === attachment.type && own.url === attachment.url
            ? operations.open({ ref: own.ref })
            : new AttachmentsError({
                code: "ATTACHMENT_MISMATCH",
                detail: `${attachment.ref} is not the attachment this turn has under that ref`
              })
        }),
      openByRef: (ref) => operations.open({ ref }),
      read: (ref) => operations.read({ ref })
    }
    return made(service, operations)
  }

  /**
   * Lists the attachments of the turn, of one kind or of all kinds that the tool declares. A kind that is given must
   * be in `attachments.kinds`, and fails with `KIND_NOT_ALLOWED` when it is not permitted.
   *
   * @example
   * ```ts
   * import { Attachments } from "bailiwick"
   *
   * export const images = Attachments.list("image")
   * ```
   */
  static readonly list: Attachments.Service["list"] = (kind) =>
    access(Attachments, (attachments) => attachments.list(kind))

  /**
   * Answers with the local path of an attachment from `list`, which `Files` can then read. The tool must declare
   * `attachments`, and need not declare `fs_reach` for that path. Fails with `ATTACHMENT_NOT_FOUND` for one that is
   * not of this turn, or of a kind that is not permitted, and with `ATTACHMENT_MISMATCH` for one that was changed.
   *
   * @example
   * ```ts
   * import { type Attachment, Attachments, Files } from "bailiwick"
   * import { Effect } from "effect"
   *
   * export const textOf = (attachment: Attachment) =>
   *   Effect.flatMap(Attachments.open(attachment), (path) => Files.read(path))
   * ```
   */
  static readonly open: Attachments.Service["open"] = (attachment) =>
    Effect.flatMap(Attachments, (attachments) => attachments.open(attachment))

  /**
   * Answers with the local path of an attachment, by the ref that the model was shown. It fails as `read` does.
   *
   * @example
   * ```ts
   * import { Attachments } from "bailiwick"
   *
   * export const path = Attachments.openByRef("att-0")
   * ```
   */
  static readonly openByRef: Attachments.Service["openByRef"] = (ref) =>
    Effect.flatMap(Attachments, (attachments) => attachments.openByRef(ref))

  /**
   * Reads the bytes of an attachment, by its ref. The tool must declare `attachments`. Fails with
   * `ATTACHMENT_NOT_FOUND` when the turn has none with that ref, or when its kind is not permitted.
   *
   * @example
   * ```ts
   * import { Attachments } from "bailiwick"
   *
   * export const bytes = Attachments.read("att-0")
   * ```
   */
  static readonly read: Attachments.Service["read"] = (ref) =>
    Effect.flatMap(Attachments, (attachments) => attachments.read(ref))

  /** A layer of the service over these operations. It supplies everything that the category can be asked for. */
  static layer(operations: () => Attachments.Operations): Layer.Layer<Attachments.Everything> {
    return layerOf<Attachments.Everything>()(Attachments, () => Attachments.make(operations()))
  }

  /**
   * A test double that holds the given attachments; their refs default to `att-0`, `att-1`, … As in a turn, `Files`
   * comes with it. That `Files` reads the attachments, and everything that an outer `Files` reaches.
   *
   * @example
   * ```ts
   * import { Attachments } from "bailiwick"
   *
   * export const attachments = Attachments.mock([{ filename: "list.txt", mimeType: "text/plain", content: "milk" }])
   * ```
   */
  static mock(
    items: ReadonlyArray<Attachments.MockAttachment> = []
  ): Layer.Layer<Attachments.Everything | Files> {
    return Layer.merge(
      Attachments.layer(() => Attachments.memory(items)),
      Layer.effect(Files, filesOver(Attachments.memoryFiles(items)))
    )
  }

  /** The files behind the mock's attachments, by local path. */
  static memoryFiles(items: ReadonlyArray<Attachments.MockAttachment>): ReadonlyMap<string, Uint8Array> {
    return new Map(items.map(hold).map(({ path, content }) => [path, content]))
  }

  /** The operations of the mock. */
  static memory(items: ReadonlyArray<Attachments.MockAttachment>): Attachments.Operations {
    return operationsOf(items.map(hold))
  }

  /** A test double made of a part of the service. A method that is missing dies when it is called, and names itself. */
  static layerTest(service: Partial<Attachments.Service>): Layer.Layer<Attachments.Everything> {
    return layerOf<Attachments.Everything>()(Attachments, () =>
      complete(
        "Attachments",
        { list: "effect", open: "effect", openByRef: "effect", read: "effect" },
        service
      )
    )
  }
}

interface Held {
  readonly attachment: Attachment
  readonly path: string
  readonly content: Uint8Array
}

const hold = ({ path, content, ...given }: Attachments.MockAttachment, index: number): Held => {
  const ref = given.ref ?? `att-${index}`
  const at = path ?? `/attachments/${ref}`
  const defaults = { type: "file", url: `file://${at}`, mimeType: "application/octet-stream" } as const
  return { attachment: { ...defaults, ...given, ref }, path: at, content: bytesOf(content ?? "") }
}

const operationsOf = (held: ReadonlyArray<Held>): Attachments.Operations => {
  const find = (ref: string) => {
    const item = held.find(({ attachment }) => attachment.ref === ref)
    return item === undefined ? notFound(ref) : Effect.succeed(item)
  }
  return {
    list: ({ kind }) =>
      Effect.succeed(
        held.flatMap(({ attachment }) =>
          kind === null || attachment.type === kind ? [{ ...attachment }] : []
        )
      ),
    open: ({ ref }) => Effect.map(find(ref), ({ path }) => path),
    read: ({ ref }) => Effect.map(find(ref), ({ content }) => content.slice())
  }
}

/** Reads the given files itself, and leaves everything else to an outer `Files`. */
const filesOver = (reach: ReadonlyMap<string, Uint8Array>): Effect.Effect<Files.Service> =>
  Effect.map(Effect.serviceOption(Files), (outer) => {
    const own = Files.make(Files.memory(reach))
    if (Option.isNone(outer)) return own
    const at = (path: string): Files.Service => (reach.has(path) ? own : outer.value)
    return {
      ...outer.value,
      read: (path) => at(path).read(path),
      readBytes: (path, range) => at(path).readBytes(path, range),
      exists: (path) => at(path).exists(path),
      stat: (path) => at(path).stat(path)
    }
  })

const notFound = (ref: string) =>
  new AttachmentsError({ code: "ATTACHMENT_NOT_FOUND", detail: `No attachment with ref "${ref}"` })
