/** One contract, every backend of attachments. */
import { mkdtempSync, realpathSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { afterAll, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Attachments } from "../../../src/capabilities/attachments/Attachments.js"
import { AttachmentsBackend } from "../../../src/capabilities/attachments/AttachmentsBackend.js"
import type { Attachment } from "../../../src/capabilities/attachments/AttachmentsOperations.js"
import { AttachmentCache } from "../../../src/layers/node/attachments/AttachmentCache.js"
import * as NodeAttachments from "../../../src/layers/node/attachments/NodeAttachments.js"
import * as AttachmentsContract from "../../../src/testing/contracts/AttachmentsContract.js"
import { holds } from "../contractHolds.js"

const root = realpathSync(mkdtempSync(join(tmpdir(), "bailiwick-attachments-contract-")))

afterAll(() => rmSync(root, { recursive: true, force: true }))

let count = 0

const limits = { maxBytes: 4 * 1024 * 1024 }

const outside = join(root, "outside")
writeFileSync(outside, "hunter2")

const onDisk = {
  limits,
  remove: ({ url }: Attachment) => Effect.sync(() => unlinkSync(fileURLToPath(url))),
  link: ({ url }: Attachment) =>
    Effect.sync(() => {
      unlinkSync(fileURLToPath(url))
      symlinkSync(outside, fileURLToPath(url))
    })
}

const directory = join(root, "cache")

/** As a host does it: the cache takes more than the backend gives. */
const cached = AttachmentsContract.cases({
  ...onDisk,
  put: (session, content) =>
    Effect.flatMap(AttachmentCache, (cache) =>
      cache.write(content, { session, filename: "a b.txt", mimeType: "text/plain" })
    ).pipe(
      Effect.map((draft): Attachment => ({ ...draft, ref: `att-${++count}` })),
      Effect.provide(AttachmentCache.layer({ directory })),
      Effect.orDie
    )
})

const overCache = NodeAttachments.layer({ directory, ...limits })

holds("NodeAttachments over a cache", overCache, cached)

describe("NodeAttachments over a cache, one layer for all cases", () => {
  it.effect("keeps every promise while the others are kept", () =>
    Effect.forEach(cached, ({ run }) => run, { concurrency: 4, discard: true }).pipe(
      Effect.provide(overCache)
    )
  )
})

const attached = (path: string): Attachment => ({
  type: "file",
  ref: `att-${count}`,
  url: pathToFileURL(path).href,
  mimeType: "text/plain"
})

const named = AttachmentsContract.cases({
  ...onDisk,
  put: (_session, content) =>
    Effect.sync(() => {
      const path = join(root, `a b%20\u00e9-${++count}`)
      writeFileSync(path, content)
      return attached(path)
    })
})

// Without a cache a host says which files there are, and nothing is known of sessions.
holds(
  "NodeAttachments over what the host names",
  NodeAttachments.layer(limits),
  named.filter(({ about }) => about !== "sessions")
)

const held: Array<Attachments.MockAttachment> = []

const mock = Layer.sync(AttachmentsBackend, () =>
  AttachmentsBackend.fromOperations({
    open: (payload) => Attachments.memory(held).open(payload),
    read: (payload) => Attachments.memory(held).read(payload)
  })
)

holds(
  "a mock behind the door",
  mock,
  AttachmentsContract.cases({
    put: (_session, content) =>
      Effect.sync(() => {
        const attachment = attached(`/attachments/${++count}`)
        held.push({ ...attachment, path: `/attachments/${count}`, content })
        return attachment
      })
  }).filter(({ about }) => about === "attachments")
)
