/** The files of a cache: written whole or not at all, and each as old as the clock said when it was written. */
import { createHash, randomBytes } from "node:crypto"
import { lstat, readdir, rm, rmdir, unlink } from "node:fs/promises"
import { basename, join } from "node:path"
import { pathToFileURL } from "node:url"
import { Chunk, Clock, Effect, Exit, Stream } from "effect"
import type { AttachmentsError } from "../../../capabilities/attachments/AttachmentsOperations.js"
import { Draft, isAbandoned } from "./draft.js"
import { type Full, type Ledger, ledgerOf, type Room } from "./ledger.js"
import { directoryOf, failed, isNamespace, type Root } from "./Namespace.js"

const codeOf = (error: unknown): unknown => (error as { readonly code?: unknown } | null)?.code

const isGone = (error: unknown): boolean => codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR"

const attempt = <A>(run: () => Promise<A>): Effect.Effect<A, AttachmentsError> =>
  Effect.tryPromise({
    try: run,
    catch: () => failed("the attachment cache cannot be written; look at its directory and at the space left")
  })

/** Files of one message lie together in a listing; nothing else is known of the message. */
const mark = (messageId: string): string =>
  `${createHash("sha256").update(messageId, "utf8").digest("hex").slice(0, 16)}-`

export interface Limits extends Room {
  readonly maxBytes: number
}

const noRoom = (full: Full, { sessionBytes, totalBytes }: Limits): AttachmentsError =>
  failed(
    full === "session"
      ? `the attachments of this session would be more than ${sessionBytes} bytes; clear the session, or raise sessionBytes`
      : `all attachments would be more than ${totalBytes} bytes; prune the cache, or raise totalBytes`
  )

/** How many bytes at its start tell what a file is. */
const HEAD = 4096

export interface Entry<A> {
  readonly session: string
  readonly messageId: string | undefined
  /** The name to keep it under, and what to tell of it, once the start of it has come. */
  readonly judge: (
    head: Uint8Array
  ) => Effect.Effect<{ readonly name: string; readonly told: A }, AttachmentsError>
}

export interface Added<A> {
  readonly url: string
  readonly sizeBytes: number
  readonly told: A
}

/** One file on its way in. */
class Incoming<A> {
  readonly #head: Array<Uint8Array> = []
  #size = 0
  #judged: { readonly name: string; readonly told: A } | undefined

  constructor(
    private readonly draft: Draft,
    private readonly ledger: Ledger,
    private readonly namespace: string,
    private readonly entry: Entry<A>,
    private readonly limits: Limits
  ) {}

  get size(): number {
    return this.#size
  }

  add(chunks: ReadonlyArray<Uint8Array>): Effect.Effect<void, AttachmentsError> {
    return Effect.suspend(() => {
      let more = 0
      for (const { length } of chunks) more += length
      if (more === 0) return Effect.void
      if (this.#size + more > this.limits.maxBytes) {
        return failed(`the attachment has more than ${this.limits.maxBytes} bytes; send a smaller one`)
      }
      const full = this.ledger.take(this.namespace, more, this.limits)
      if (full !== undefined) return noRoom(full, this.limits)
      if (this.#judged === undefined) this.#head.push(...chunks)
      this.#size += more
      const judging = this.#judged === undefined && this.#size >= HEAD ? this.#judge : Effect.void
      return Effect.zipRight(
        judging,
        attempt(() => this.draft.add(chunks))
      )
    })
  }

  /** All of it is there. */
  finish(millis: number): Effect.Effect<Added<A>, AttachmentsError> {
    return Effect.flatMap(
      Effect.suspend(() => (this.#judged === undefined ? this.#judge : Effect.succeed(this.#judged))),
      ({ name, told }) => {
        const { messageId } = this.entry
        const unique = `${messageId === undefined ? "" : mark(messageId)}${randomBytes(12).toString("hex")}-${name}`
        return Effect.map(
          attempt(() => this.draft.keep(unique, millis)),
          (path) => ({ url: pathToFileURL(path).href, sizeBytes: this.#size, told })
        )
      }
    )
  }

  readonly #judge = Effect.suspend(() =>
    Effect.tap(this.entry.judge(Buffer.concat(this.#head.splice(0)).subarray(0, HEAD)), (judged) =>
      Effect.sync(() => {
        this.#judged = judged
      })
    )
  )
}

/** The URL of a new file with what a stream gives. However it ends, there is all of it or nothing. */
export const addEntry = <A, E, R>(
  root: Root,
  entry: Entry<A>,
  limits: Limits,
  bytes: Stream.Stream<Uint8Array, E, R>
): Effect.Effect<Added<A>, AttachmentsError | E, R> => {
  const directory = directoryOf(root, entry.session)
  const namespace = basename(directory)
  const ledger = ledgerOf(root)
  return Effect.acquireUseRelease(
    Effect.map(
      attempt(() => Draft.begin(directory)),
      (draft) => ({ draft, incoming: new Incoming(draft, ledger, namespace, entry, limits) })
    ),
    ({ incoming }) =>
      Effect.zipRight(
        Stream.runForEachChunk(bytes, (chunk) => incoming.add(Chunk.toReadonlyArray(chunk))),
        Effect.uninterruptible(Effect.flatMap(Clock.currentTimeMillis, (millis) => incoming.finish(millis)))
      ),
    ({ draft, incoming }, exit) =>
      Effect.promise(async () => {
        if (Exit.isFailure(exit)) await draft.discard()
        ledger.settle(namespace, incoming.size, Exit.isSuccess(exit))
      })
  )
}

export const clearSession = (root: Root, session: string): Effect.Effect<void, AttachmentsError> => {
  const directory = directoryOf(root, session)
  return attempt(async () => {
    await rm(directory, { recursive: true, force: true })
    await recount(root, basename(directory))
  })
}

const unlessGone = <A>(otherwise: A, run: () => Promise<A>): Promise<A> =>
  run().catch((error) => (isGone(error) ? otherwise : Promise.reject(error)))

/** Removes files of a namespace, and says how many of them were whole. */
const removeFrom = async (
  root: Root,
  namespace: string,
  isOver: (name: string, mtimeMs: number) => boolean
): Promise<number> => {
  const directory = join(root.path, namespace)
  const ledger = ledgerOf(root)
  const revision = ledger.revisionOf(namespace)
  let removed = 0
  let removedBytes = 0
  let kept = 0
  for (const name of await unlessGone([], () => readdir(directory))) {
    const path = join(directory, name)
    // Of a link, its own age and its own end: what it leads to is not ours.
    const stat = await unlessGone(undefined, () => lstat(path))
    if (stat === undefined || stat.isDirectory()) continue
    if (!isAbandoned(name) && !isOver(name, stat.mtimeMs)) {
      if (!name.startsWith(".")) kept += stat.size
      continue
    }
    const isRemoved = await unlessGone(false, () => unlink(path).then(() => true))
    if (!isRemoved || name.startsWith(".")) continue
    removed += 1
    removedBytes += stat.size
  }
  await rmdir(directory).catch(() => {})
  ledger.count(namespace, kept, removedBytes, revision)
  return removed
}

const recount = (root: Root, namespace: string): Promise<number> => removeFrom(root, namespace, () => false)

/** Removes the files of one message, such as an earlier attempt to receive it has left. No other file is looked at. */
export const forgetMessage = (
  root: Root,
  session: string,
  messageId: string
): Effect.Effect<number, AttachmentsError> =>
  attempt(async () => {
    const directory = directoryOf(root, session)
    const prefix = mark(messageId)
    let removed = 0
    for (const name of await unlessGone([], () => readdir(directory))) {
      if (!name.startsWith(prefix)) continue
      const path = join(directory, name)
      const stat = await unlessGone(undefined, () => lstat(path))
      if (stat === undefined || !(await unlessGone(false, () => unlink(path).then(() => true)))) continue
      ledgerOf(root).remove(basename(directory), stat.size)
      removed += 1
    }
    return removed
  })

/** What else lies in the directory of the cache is left alone. */
const everywhere = (
  root: Root,
  isOver: (name: string, mtimeMs: number) => boolean
): Effect.Effect<number, AttachmentsError> =>
  attempt(async () => {
    let removed = 0
    const found = new Set<string>()
    for (const entry of await readdir(root.path, { withFileTypes: true })) {
      if (!entry.isDirectory() || !isNamespace(entry.name)) continue
      found.add(entry.name)
      removed += await removeFrom(root, entry.name, isOver)
    }
    const ledger = ledgerOf(root)
    for (const namespace of ledger.namespaces) {
      // Another process may have cleared it.
      if (!found.has(namespace)) removed += await removeFrom(root, namespace, isOver)
    }
    return removed
  })

export const pruneEntries = (root: Root, olderThanMillis: number): Effect.Effect<number, AttachmentsError> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) =>
    everywhere(root, (_, mtimeMs) => mtimeMs < now - olderThanMillis)
  )

/** Removes what killed processes have left half written, and counts the rest. */
export const takeStock = (root: Root): Effect.Effect<void, AttachmentsError> =>
  Effect.asVoid(everywhere(root, () => false))
