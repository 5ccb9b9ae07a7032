/** The category `attachments`, as the table of categories has it. */
import { Either } from "effect"
import { attachmentKind } from "../../policy/lattice/dimensions/Name.js"
import { backendOf, type Description } from "../Category.js"
import { Files } from "../files/Files.js"
import { FilesBackend } from "../files/FilesBackend.js"
import { filesOf } from "../files/FilesCategory.js"
import { everything, nothing, scopesOf } from "../scopes.js"
import type { IfUnused, List, Undeclared } from "../sentences.js"
import { Attachments, AttachmentsDeclaration } from "./Attachments.js"
import { AttachmentsBackend } from "./AttachmentsBackend.js"
import { AttachmentsError } from "./AttachmentsOperations.js"
import { scoped } from "./ScopedAttachments.js"

type Declared = typeof AttachmentsDeclaration.Type

/** The sentence about a requirement that is not covered. */
export type Complaint<X> =
  X extends Attachments.Kind<infer K>
    ? Undeclared<`attachments.kinds needs '${K}'`>
    : X extends Attachments
      ? Undeclared<"attachments">
      : never

/** A sentence for each kind that is declared and never used. */
export type Unused<R, D> = Attachments extends R ? never : UnusedKind<R, List<D, "kinds">>

type UnusedKind<R, K extends string> = K extends unknown
  ? IfUnused<R, Attachments.Declared<K>, `attachments.kinds '${K}'`>
  : never

const isAny = (kinds: ReadonlyArray<string> | "*"): kinds is "*" => kinds === "*" || kinds.includes("*")

/** Attachments are files, so they need the backends of both. */
export const category = {
  declaration: AttachmentsDeclaration,
  error: AttachmentsError,
  tags: [Attachments, Files],
  backends: [AttachmentsBackend, FilesBackend],
  facet: "attachments",
  aliases: ["attachment", "uploads"],
  surface: ({ kinds }) => [{ label: "attachments", items: kinds }],
  listed: ({ kinds }) =>
    (kinds === "*" ? [kinds] : kinds).map((kind) => ({
      key: "attachments.kinds",
      value: kind,
      alone: { kinds: [kind] },
      open: kind === "*"
    })),
  authority: ({ kinds }, { deferred }) =>
    isAny(kinds)
      ? Either.right({
          attachments: deferred === "everything" ? everything.attachments : nothing.attachments
        })
      : Either.map(scopesOf(nothing.attachments.read, "kind", attachmentKind.parse, kinds), (read) => ({
          attachments: { read }
        })),
  services: (_, making) => {
    const seen = making.attached.map(({ attachment }) => attachment)
    const backend = backendOf(making, AttachmentsBackend)
    const operations = scoped(making.holder, seen, backend, making.unplaced)
    return [[Attachments.key, Attachments.make(operations)], filesOf(making)]
  }
} as const satisfies Description<Declared>
