/** The scoped services of one tool in one turn, as the Context that it runs in: those it declares, and no others. */
import { Context, Effect, Either, Schema } from "effect"
import { Agents } from "../../capabilities/agents/Agents.js"
import * as ScopedAgents from "../../capabilities/agents/ScopedAgents.js"
import { type Attachment, Attachments } from "../../capabilities/attachments/Attachments.js"
import { AttachmentsBackend } from "../../capabilities/attachments/AttachmentsBackend.js"
import * as ScopedAttachments from "../../capabilities/attachments/ScopedAttachments.js"
import type { Capabilities, Category } from "../../capabilities/Capabilities.js"
import { Files } from "../../capabilities/files/Files.js"
import { FilesBackend } from "../../capabilities/files/FilesBackend.js"
import * as ScopedFiles from "../../capabilities/files/ScopedFiles.js"
import { Network } from "../../capabilities/network/Network.js"
import { NetworkBackend } from "../../capabilities/network/NetworkBackend.js"
import * as ScopedNetwork from "../../capabilities/network/ScopedNetwork.js"
import { Process } from "../../capabilities/process/Process.js"
import { ProcessBackend } from "../../capabilities/process/ProcessBackend.js"
import * as ScopedProcess from "../../capabilities/process/ScopedProcess.js"
import { Records } from "../../capabilities/records/Records.js"
import { RecordsBackend } from "../../capabilities/records/RecordsBackend.js"
import * as ScopedRecords from "../../capabilities/records/ScopedRecords.js"
import * as ScopedSecrets from "../../capabilities/secrets/ScopedSecrets.js"
import { Secrets } from "../../capabilities/secrets/Secrets.js"
import { SecretsBackend } from "../../capabilities/secrets/SecretsBackend.js"
import { namespaceOf } from "../../capabilities/storage/Namespace.js"
import * as ScopedStorage from "../../capabilities/storage/ScopedStorage.js"
import { Storage } from "../../capabilities/storage/Storage.js"
import { StorageBackend } from "../../capabilities/storage/StorageBackend.js"
import * as Floor from "../../policy/gate/floor/Floor.js"
import type { Holder } from "../../policy/gate/Proof.js"
import * as Authority from "../../policy/lattice/Authority.js"
import * as Request from "../../policy/lattice/Request.js"
import { Progress } from "../../tools/Progress.js"
import * as Backends from "../Backends.js"
import { missingBackend, missingSandbox, type NotAvailable } from "../NotAvailable.js"
import type { Turn } from "../Turn.js"

/** What the services of a tool are made of. */
export interface Making {
  readonly holder: Holder
  readonly declared: Capabilities
  readonly turn: Turn
  readonly backends: Context.Context<never>
  /** The binaries that were found for this turn's policy, by name. */
  readonly pins: Map<string, ProcessBackend.Pinned>
  readonly revealed: (value: string) => void
}

/** The category is known to have its backend: that was asked first. */
const backend = <I, S>(backends: Context.Context<never>, tag: Context.Tag<I, S>): S =>
  Context.unsafeGet(backends as Context.Context<I>, tag)

const permitted = ({ authority }: Holder, { type }: Attachment): boolean =>
  Either.match(Request.attachment(type), {
    onLeft: () => false,
    onRight: (request) => Authority.permits(authority, request).allowed
  })

const decode = Schema.decodeSync(Authority.FromJson)

/** Those files exactly, and not their directories; one whose name would be a pattern opens nothing. */
const reading = (paths: ReadonlyArray<string>): Authority.Authority =>
  decode({ files: { read: paths.filter((path) => !/[*?]/.test(path)) } })

/** An attachment that is somewhere, and may be read there. */
interface Located {
  readonly attachment: Attachment
  readonly path: string
}

const isOpen = ({ floor }: Holder, path: string): boolean =>
  Either.match(Request.file("read", path), {
    onLeft: () => false,
    onRight: (request) => Floor.forbids(floor, request) === undefined
  })

/** The attachments that the holder may see. One that is nowhere, or where no policy lets anybody read, is left out. */
const located = ({ backends, declared, holder, turn }: Making): Effect.Effect<ReadonlyArray<Located>> => {
  if (declared.attachments === undefined || turn.attachments.length === 0) return Effect.succeed([])
  const { locate } = backend(backends, AttachmentsBackend)
  const one = (attachment: Attachment) =>
    Effect.map(Effect.option(locate(turn.session, attachment)), (path) =>
      path._tag === "Some" && isOpen(holder, path.value) ? [{ attachment, path: path.value }] : []
    )
  return Effect.map(
    Effect.forEach(
      turn.attachments.filter((attachment) => permitted(holder, attachment)),
      one
    ),
    (all) => all.flat()
  )
}

/** The holder with its read reach extended by the files of the turn that it may see. */
const reaching = (holder: Holder, attached: ReadonlyArray<Located>): Holder =>
  attached.length === 0
    ? holder
    : { ...holder, authority: Authority.join(holder.authority, reading(attached.map(({ path }) => path))) }

type Made = readonly [key: string, service: unknown]

const make = (making: Making, attached: ReadonlyArray<Located>): ReadonlyArray<Made> => {
  const { backends, declared, holder, pins, revealed, turn } = making
  const filesOf = () =>
    Files.make(ScopedFiles.scoped(reaching(holder, attached), turn, backend(backends, FilesBackend)))
  const makers: { readonly [C in Category]: () => ReadonlyArray<Made> } = {
    network: () => [
      [Network.key, Network.make(ScopedNetwork.scoped(holder, backend(backends, NetworkBackend)))]
    ],
    secrets: () => [
      [Secrets.key, Secrets.make(ScopedSecrets.scoped(holder, backend(backends, SecretsBackend), revealed))]
    ],
    storage: () => {
      const { storage } = declared
      if (storage === undefined) return []
      const { policy, session } = turn
      const namespace = namespaceOf(storage.scope, holder.tool, { session, personality: policy.personality })
      return [
        [
          Storage.key,
          Storage.make(ScopedStorage.scoped(holder, storage, namespace, backend(backends, StorageBackend)))
        ]
      ]
    },
    fs_reach: () => [[Files.key, filesOf()]],
    process: () => [
      [Process.key, Process.make(ScopedProcess.scoped(holder, turn, backend(backends, ProcessBackend), pins))]
    ],
    attachments: () => [
      [
        Attachments.key,
        Attachments.make(
          ScopedAttachments.scoped(
            holder,
            attached.map(({ attachment }) => attachment),
            backend(backends, AttachmentsBackend)
          )
        )
      ],
      [Files.key, filesOf()]
    ],
    records: () => [
      [Records.key, Records.make(ScopedRecords.scoped(holder, backend(backends, RecordsBackend)))]
    ],
    agents: () => [[Agents.key, Agents.make(ScopedAgents.scoped(holder, backend(backends, RecordsBackend)))]]
  }
  return (Object.keys(declared) as ReadonlyArray<Category>).flatMap((category) => makers[category]())
}

export const contextOf = (making: Making): Effect.Effect<Context.Context<never>, NotAvailable> => {
  const { backends, declared, holder } = making
  const missing = Backends.missing(declared, backends)
  if (missing !== undefined) return Effect.fail(missingBackend(holder.tool, missing))
  if (declared.process !== undefined && making.turn.policy.sandbox === "required") {
    return Effect.fail(missingSandbox(holder.tool))
  }
  const heard = making.backends.unsafeMap.get(Progress.key)
  const listening: ReadonlyArray<Made> = heard === undefined ? [] : [[Progress.key, heard]]
  return Effect.zipRight(
    pinning(making),
    Effect.map(located(making), (attached) =>
      Context.unsafeMake(new Map([...make(making, attached), ...listening]))
    )
  )
}

const MAX_PINS = 64

/** Finds the binaries that may be run before the tool runs, so that it cannot change what their names stand for. */
const pinning = ({ backends, declared, holder, pins }: Making): Effect.Effect<void> => {
  if (declared.process === undefined) return Effect.void
  const { pin } = backend(backends, ProcessBackend)
  const names = [...holder.authority.scopes.process.exec.names("argv")].filter((name) => !pins.has(name))
  return Effect.forEach(
    names.slice(0, MAX_PINS),
    // One that is not found is looked for again, and reported, when it is needed.
    (name) => Effect.ignore(Effect.map(pin(name), (found) => pins.set(name, found))),
    { discard: true }
  )
}
