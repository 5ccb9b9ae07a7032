/** Threat: a turn that names files which were not sent in it, and a disk that changes under it. */
import { execFileSync } from "node:child_process"
import { appendFile, mkdir, rename, symlink, unlink, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Logger, Schema } from "effect"
import { Attachments } from "../../../src/capabilities/attachments/Attachments.js"
import { AttachmentsBackend } from "../../../src/capabilities/attachments/AttachmentsBackend.js"
import type { Attachment } from "../../../src/capabilities/attachments/AttachmentsOperations.js"
import * as Scoped from "../../../src/capabilities/attachments/ScopedAttachments.js"
import { AttachmentCache } from "../../../src/layers/node/attachments/AttachmentCache.js"
import * as NodeAttachments from "../../../src/layers/node/attachments/NodeAttachments.js"
import * as NodeFiles from "../../../src/layers/node/files/NodeFiles.js"
import * as Asking from "../../../src/policy/gate/Asking.js"
import * as Authority from "../../../src/policy/lattice/Authority.js"
import * as Request from "../../../src/policy/lattice/Request.js"
import * as Policy from "../../../src/policy/Policy.js"
import { assign } from "../../../src/registry/AttachmentRefs.js"
import * as Registry from "../../../src/registry/Registry.js"
import * as Turn from "../../../src/registry/Turn.js"
import { listAttachments, readAttachment } from "../../../src/tools/builtin/index.js"
import { temporary } from "./temporary.js"

const everything = Schema.decodeSync(Authority.FromJson)({
  attachments: { read: ["image", "audio", "file"] }
})
const imagesOnly = Schema.decodeSync(Authority.FromJson)({ attachments: { read: ["image"] } })

const disk = <A>(run: () => Promise<A>) => Effect.promise(run)
const text = (content: string) => new TextEncoder().encode(content)

const backendOf = (options?: NodeAttachments.Options) =>
  Effect.provide(AttachmentsBackend, NodeAttachments.layer(options))

const serviceOf = (
  backend: AttachmentsBackend.Service,
  attachments: ReadonlyArray<Attachment>,
  { authority = everything, session = "s1" }: { authority?: Authority.Authority; session?: string } = {}
) => {
  const holder = Asking.holder({ authority, session, tool: "t" })
  const service = Attachments.make(Scoped.scoped(holder, attachments, backend))
  const run = Effect.provideService(Attachments, service)
  return {
    list: () => run(service.list()),
    open: (attachment: Attachment) => run(service.open(attachment)),
    openByRef: (ref: string) => run(service.openByRef(ref)),
    read: (ref: string) => run(service.read(ref))
  }
}

const at = (path: string, rest: Partial<Attachment> = {}): Attachment => ({
  type: "file",
  ref: "att-0",
  url: pathToFileURL(path).href,
  mimeType: "text/plain",
  ...rest
})

/** A cache, the backend over it, and one attachment in it. */
const cached = Effect.gen(function* () {
  const directory = yield* temporary
  const cache = yield* Effect.provide(AttachmentCache, AttachmentCache.layer({ directory }))
  const backend = yield* backendOf({ directory })
  const draft = yield* cache.write(text("milk"), { session: "s1", filename: "a.txt", mimeType: "text/plain" })
  return { directory, cache, backend, attachments: assign([draft]), path: fileURLToPath(draft.url) }
})

describe("over a cache", () => {
  it.scoped("M3: opens and reads what was sent in the session", () =>
    Effect.gen(function* () {
      const { attachments, backend, path } = yield* cached
      const service = serviceOf(backend, attachments)
      expect(yield* service.openByRef("att-0")).toBe(path)
      expect(yield* service.read("att-0")).toEqual(text("milk"))
      expect(yield* backend.locate("s1", attachments[0]!)).toBe(path)
    })
  )

  it.scoped("A01/M1/M6: gives no other kind than is held, and no ref that was made up", () =>
    Effect.gen(function* () {
      const { attachments, backend } = yield* cached
      const service = serviceOf(backend, attachments, { authority: imagesOnly })
      expect(yield* service.list()).toEqual([])
      for (const ref of ["att-0", "att-1", "/etc/passwd"]) {
        expect((yield* Effect.flip(service.openByRef(ref))).message).toBe(
          `ATTACHMENT_NOT_FOUND: No attachment with ref "${ref}"`
        )
      }
    })
  )

  it.scoped("L8/A14: another session's file is not there, whoever put it on the turn", () =>
    Effect.gen(function* () {
      const { attachments, backend, path } = yield* cached
      const service = serviceOf(backend, attachments, { session: "s2" })
      for (const error of [
        yield* Effect.flip(service.openByRef("att-0")),
        yield* Effect.flip(service.read("att-0")),
        yield* Effect.flip(backend.locate("s2", attachments[0]!))
      ]) {
        expect(error.message).toBe(
          'ATTACHMENTS_FAILED: attachment "att-0" is not a file of this session; have it sent again'
        )
        expect(error.message).not.toContain(path)
      }
    })
  )

  it.scoped("M16: a file outside the cache is refused, and the others still open", () =>
    Effect.gen(function* () {
      const { attachments, backend, directory } = yield* cached
      yield* disk(() => writeFile(join(directory, "outside"), "x"))
      const service = serviceOf(backend, [
        ...attachments,
        at(join(directory, "outside"), { ref: "att-1" }),
        at("/etc/hostname", { ref: "att-2" }),
        at("/x", { ref: "att-3", url: "https://example.com/x" })
      ])
      for (const ref of ["att-1", "att-2", "att-3"]) {
        expect((yield* Effect.flip(service.read(ref))).code).toBe("ATTACHMENTS_FAILED")
      }
      expect(yield* service.read("att-0")).toEqual(text("milk"))
    })
  )

  it.scoped("one with an https URL says that only local files open, and what to do", () =>
    Effect.gen(function* () {
      const { backend } = yield* cached
      const remote = at("", { ref: "att-3", url: "https://example.com/x?token=hunter2" })
      const service = serviceOf(backend, [remote])
      for (const error of [
        yield* Effect.flip(service.read("att-3")),
        yield* Effect.flip(service.openByRef("att-3"))
      ]) {
        expect(error.message).toBe(
          'ATTACHMENTS_FAILED: attachment "att-3" has a URL of the scheme https, and only local files open; have the host fetch it, and send the file'
        )
      }
    })
  )

  it.scoped("M16: through a registry too, where it is not listed, and says so when it is opened", () =>
    Effect.gen(function* () {
      const { attachments, backend } = yield* cached
      const remote = at("", { ref: "att-3", url: "https://example.com/x" })
      const turn = Turn.make({
        session: "s1",
        policy: Policy.make({ authority: everything }),
        workdir: "/",
        attachments: [...attachments, remote]
      })
      const registry = Registry.make(listAttachments, readAttachment)
      const [listed, read] = yield* registry
        .execute(turn, [
          { id: "1", name: "list_attachments", args: {} },
          { id: "2", name: "read_attachment", args: { ref: "att-3" } }
        ])
        .pipe(
          Effect.provideService(AttachmentsBackend, backend),
          Effect.provide(NodeFiles.layer()),
          Effect.provide(Logger.remove(Logger.defaultLogger))
        )
      expect(listed?.result).toMatchObject({ ok: true, value: { attachments: [{ ref: "att-0" }] } })
      expect(read?.result).toMatchObject({
        ok: false,
        error: expect.stringContaining("only local files open")
      })
    })
  )

  it.scoped("a size that is none is not listed", () =>
    Effect.gen(function* () {
      const { attachments, backend } = yield* cached
      const path = fileURLToPath(attachments[0]!.url)
      const sizes = [-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 1e300, 0, 4]
      const service = serviceOf(
        backend,
        sizes.map((sizeBytes, index) => at(path, { ref: `att-${index}`, sizeBytes }))
      )
      expect((yield* service.list()).map(({ sizeBytes }) => sizeBytes)).toEqual([
        ...Array.from({ length: 5 }, () => undefined),
        0,
        4
      ])
    })
  )

  it.scoped("A02/M8: a forged attachment opens nothing, and no message names a path", () =>
    Effect.gen(function* () {
      const { attachments, backend, directory, path } = yield* cached
      const service = serviceOf(backend, attachments)
      const forged = { ...attachments[0]!, url: "file:///etc/passwd" }
      const error = yield* Effect.flip(service.open(forged))
      expect(error.code).toBe("ATTACHMENT_MISMATCH")
      expect(error.message).not.toMatch(/file:|passwd/)
      expect(error.message).not.toContain(path)
      expect(error.message).not.toContain(directory)
    })
  )

  it.scoped("A03/M18: a list that a tool changes is its own", () =>
    Effect.gen(function* () {
      const { attachments, backend } = yield* cached
      const service = serviceOf(backend, attachments)
      const list = (yield* service.list()) as Array<Attachment>
      list.push(at("/etc/passwd", { ref: "att-9" }))
      Object.assign(list[0]!, { url: "file:///etc/passwd" })
      expect((yield* Effect.flip(service.openByRef("att-9"))).code).toBe("ATTACHMENT_NOT_FOUND")
      expect(yield* service.read("att-0")).toEqual(text("milk"))
      expect(yield* service.list()).toEqual(attachments)
    })
  )

  it.scoped("A07: a link in place of the file, or above it, is refused", () =>
    Effect.gen(function* () {
      const { attachments, backend, directory, path } = yield* cached
      const service = serviceOf(backend, attachments)
      const refused = 'ATTACHMENTS_FAILED: attachment "att-0" is a link; have it sent again as a regular file'
      yield* disk(() => rename(dirname(path), join(directory, "moved")))
      yield* disk(() => symlink(join(directory, "moved"), dirname(path)))
      expect((yield* Effect.flip(service.read("att-0"))).message).toBe(refused)
      yield* disk(() => unlink(dirname(path)))
      yield* disk(() => rename(join(directory, "moved"), dirname(path)))
      expect(yield* service.read("att-0")).toEqual(text("milk"))
      yield* disk(() => unlink(path))
      yield* disk(() => symlink("/etc/passwd", path))
      expect((yield* Effect.flip(service.read("att-0"))).message).toBe(refused)
      expect((yield* Effect.flip(service.openByRef("att-0"))).message).toBe(refused)
    })
  )

  it.scoped("what was cleared is no longer there, and it says so", () =>
    Effect.gen(function* () {
      const { attachments, backend, cache } = yield* cached
      yield* cache.clear("s1")
      const error = yield* Effect.flip(serviceOf(backend, attachments).read("att-0"))
      expect(error.message).toBe(
        'ATTACHMENT_NOT_FOUND: attachment "att-0" is no longer there; have it sent again'
      )
    })
  )

  it.scoped("a proof for another kind opens nothing", () =>
    Effect.gen(function* () {
      const { attachments, backend } = yield* cached
      const holder = Asking.holder({ authority: everything, session: "s1", backend })
      const image = yield* Asking.ask(holder, Request.attachment("image"))
      const error = yield* Effect.flip(backend.read(image, attachments[0]!))
      expect(error.message).toBe('ATTACHMENT_MISMATCH: what was permitted is not attachment "att-0"')
    })
  )

  it.scoped("does not need the directory to be there before the first file", () =>
    Effect.gen(function* () {
      const root = yield* temporary
      yield* disk(() => mkdir(join(root, "real")))
      yield* disk(() => symlink(join(root, "real"), join(root, "alias")))
      const directory = join(root, "alias", "not", "yet")
      const backend = yield* backendOf({ directory })
      const cache = yield* Effect.provide(AttachmentCache, AttachmentCache.layer({ directory }))
      const draft = yield* cache.write(text("x"), { session: "s1", mimeType: "text/plain" })
      expect(yield* serviceOf(backend, assign([draft])).read("att-0")).toEqual(text("x"))
    })
  )
})

describe("over what the host names", () => {
  it.scoped("reads any regular file, byte for byte", () =>
    Effect.gen(function* () {
      const root = yield* temporary
      const bytes = Uint8Array.from({ length: 300_000 }, (_, index) => index % 256)
      yield* disk(() => writeFile(join(root, "a b%20é.bin"), bytes))
      yield* disk(() => writeFile(join(root, "empty"), ""))
      const backend = yield* backendOf()
      const service = serviceOf(backend, [
        at(join(root, "a b%20é.bin")),
        at(join(root, "empty"), { ref: "att-1" })
      ])
      expect(Buffer.compare(yield* service.read("att-0"), bytes)).toBe(0)
      expect(yield* service.read("att-1")).toEqual(new Uint8Array())
      expect(yield* service.openByRef("att-0")).toBe(join(root, "a b%20é.bin"))
    })
  )

  it.scoped("A07: and nothing else: no link, directory, pipe or other scheme", () =>
    Effect.gen(function* () {
      const root = yield* temporary
      yield* disk(() => writeFile(join(root, "file"), "x"))
      yield* disk(() => symlink(join(root, "file"), join(root, "link")))
      yield* Effect.sync(() => execFileSync("mkfifo", [join(root, "pipe")]))
      const backend = yield* backendOf()
      for (const [attachment, words] of [
        [at(join(root, "link")), "is a link"],
        [at(root), "is not a file"],
        [at(join(root, "pipe")), "is not a file"],
        [at("/dev/null"), "is not a file"],
        [at(join(root, "none")), "is no longer there"],
        [at("", { url: "http://127.0.0.1/x" }), "has a URL of the scheme http, and only local files open"],
        [
          at("", { url: "HTTPS://example.com/x" }),
          "has a URL of the scheme https, and only local files open"
        ],
        [at("", { url: "data:text/plain,x" }), "has a URL of the scheme data, and only local files open"],
        [at("", { url: `${root}/file` }), "is not a file of this session"],
        [at("", { url: "file://host/x" }), "is not a file of this session"]
      ] as const) {
        const service = serviceOf(backend, [attachment])
        for (const error of [
          yield* Effect.flip(service.read("att-0")),
          yield* Effect.flip(service.openByRef("att-0"))
        ]) {
          expect(error.message).toContain(`attachment "att-0" ${words}`)
          expect(error.message).not.toContain(root)
        }
      }
    })
  )

  it.scoped("A13/O4: no more than the limit, also when it grew since it was sent", () =>
    Effect.gen(function* () {
      const root = yield* temporary
      const path = join(root, "file")
      yield* disk(() => writeFile(path, "1234567890"))
      const service = serviceOf(yield* backendOf({ maxBytes: 10 }), [at(path)])
      expect(yield* service.read("att-0")).toEqual(text("1234567890"))
      yield* disk(() => appendFile(path, "1"))
      for (const error of [
        yield* Effect.flip(service.read("att-0")),
        yield* Effect.flip(service.openByRef("att-0"))
      ]) {
        expect(error.message).toContain("is too large")
      }
    })
  )

  it.scoped("finds where a file lies without a look at it", () =>
    Effect.gen(function* () {
      const backend = yield* backendOf()
      expect(yield* backend.locate("s1", at("/no/such/file"))).toBe("/no/such/file")
    })
  )
})
