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
export const AttachmentsKindTypeId: unique symbol = Symbol.for("bailiwick/AttachmentsKind")

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
   * What listing requires: the kind when it is given, the category otherwise.
   *
   * @since 0.1.0
   * @category requirements
   */
  export type RequiredBy<K extends KindName | undefined> = K extends KindName ? Kind<K> : Attachments

  /**
   * What a declared kind supplies.
   *
   * @since 0.1.0
   * @category requirements
   */
  export type Declared<D extends string> = D extends "*" ? Kind<string> : Kind<D>

  /**
   * What a declaration supplies, or the sentences that say what is wrong with it.
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
   * All that the category can be asked for; a mock supplies it.
   *
   * @since 0.1.0
   * @category requirements
   */
  export type Everything = Attachments | Kind<string>

  /**
   * The operations themselves, over plain data, as a backend writes them. `open` answers with a local path.
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
   * What a mock holds: the attachment, with the path and the content it answers with.
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
  /** What a tool declares, and what goes in and out of the operations, as schemas. */
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

  static make(operations: Attachments.Operations): Attachments.Service {
    return {
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
  }

  /** The turn's attachments, of one kind or of all declared kinds. */
  static readonly list: Attachments.Service["list"] = (kind) =>
    access(Attachments, (attachments) => attachments.list(kind))

  /** The local path of an attachment from `list`. */
  static readonly open: Attachments.Service["open"] = (attachment) =>
    Effect.flatMap(Attachments, (attachments) => attachments.open(attachment))

  /** The local path of an attachment, by its ref. */
  static readonly openByRef: Attachments.Service["openByRef"] = (ref) =>
    Effect.flatMap(Attachments, (attachments) => attachments.openByRef(ref))

  /** The bytes of an attachment, by its ref. */
  static readonly read: Attachments.Service["read"] = (ref) =>
    Effect.flatMap(Attachments, (attachments) => attachments.read(ref))

  /** The service of these operations, made with the layer; it supplies whatever the category can be asked for. */
  static layer(operations: () => Attachments.Operations): Layer.Layer<Attachments.Everything> {
    return layerOf<Attachments.Everything>()(Attachments, () => Attachments.make(operations()))
  }

  /**
   * A test double that holds the given attachments; their refs default to `att-0`, `att-1`, … As in a turn, `Files`
   * comes with it and reads the attachments, and whatever an outer `Files` reaches.
   */
  static mock(
    items: ReadonlyArray<Attachments.MockAttachment> = []
  ): Layer.Layer<Attachments.Everything | Files> {
    return Layer.merge(
      Attachments.layer(() => Attachments.memory(items)),
      Layer.effect(Files, filesOver(Attachments.memoryFiles(items)))
    )
  }

  /** The files that the mock's attachments are, by local path. */
  static memoryFiles(items: ReadonlyArray<Attachments.MockAttachment>): ReadonlyMap<string, Uint8Array> {
    return new Map(items.map(hold).map(({ path, content }) => [path, content]))
  }

  /** The operations of the mock. */
  static memory(items: ReadonlyArray<Attachments.MockAttachment>): Attachments.Operations {
    return operationsOf(items.map(hold))
  }

  /** A test double from a part of the service; what is missing dies when it is called. */
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

/** The given files to read, and an outer `Files` for everything else. */
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
