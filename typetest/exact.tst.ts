// `Tool.exact` rejects what is declared and never used.
import { Effect, Schema } from "effect"
import { test } from "tstyche"
import { Agents } from "../src/capabilities/agents/Agents.js"
import { Attachments } from "../src/capabilities/attachments/Attachments.js"
import { Files } from "../src/capabilities/files/Files.js"
import { Network } from "../src/capabilities/network/Network.js"
import { Process } from "../src/capabilities/process/Process.js"
import { Records } from "../src/capabilities/records/Records.js"
import { Secrets } from "../src/capabilities/secrets/Secrets.js"
import { Storage } from "../src/capabilities/storage/Storage.js"
import * as Tool from "../src/tools/Tool.js"

const base = { name: "t", description: "d", parameters: Schema.Struct({ x: Schema.String }) } as const
const nothing = { ...base, execute: () => Effect.void } as const

test("a host", () => {
  Tool.exact({
    ...base,
    // @ts-expect-error is not assignable to type '"declared but never used: network.allowedHosts 'c.com'"'.
    capabilities: { network: { allowedHosts: ["a.com", "*.b.com", "c.com"] } },
    execute: () => Effect.all([Network.get("https://a.com"), Network.get("https://x.b.com")])
  })
})

test("a secret", () => {
  Tool.exact({
    ...base,
    // @ts-expect-error is not assignable to type '"declared but never used: secrets 'UNUSED'"'.
    capabilities: { secrets: ["K", "UNUSED"] },
    execute: () => Secrets.get("K")
  })
})

test("a binary, a path, a kind, a verb, a store", () => {
  // @ts-expect-error is not assignable to type '"declared but never used: process.allowedBinaries 'git'"'.
  Tool.exact({ ...nothing, capabilities: { process: { allowedBinaries: ["git"] } } })
  // @ts-expect-error is not assignable to type '"declared but never used: process.allowedBinaries '*'"'.
  Tool.exact({ ...nothing, capabilities: { process: { allowedBinaries: ["*"] } } })
  // @ts-expect-error is not assignable to type '"declared but never used: fs_reach.read '/var'"'.
  Tool.exact({ ...nothing, capabilities: { fs_reach: { read: ["/var"] } } })
  // @ts-expect-error is not assignable to type '"declared but never used: fs_reach.write 'from-personality'"'.
  Tool.exact({ ...nothing, capabilities: { fs_reach: { write: "from-personality" } } })
  // @ts-expect-error is not assignable to type '"declared but never used: attachments.kinds '*'"'.
  Tool.exact({ ...nothing, capabilities: { attachments: { kinds: "*" } } })
  // @ts-expect-error is not assignable to type '"declared but never used: attachments.kinds 'image'"'.
  Tool.exact({ ...nothing, capabilities: { attachments: { kinds: ["image"] } } })
  // @ts-expect-error is not assignable to type '"declared but never used: storage"'.
  Tool.exact({ ...nothing, capabilities: { storage: { scope: "session", kind: "kv" } } })
  // @ts-expect-error is not assignable to type '"declared but never used: records.verbs 'create'"'.
  Tool.exact({ ...nothing, capabilities: { records: { verbs: ["create"] } } })
  // @ts-expect-error is not assignable to type '"declared but never used: agents.verbs 'grant'"'.
  Tool.exact({ ...nothing, capabilities: { agents: { verbs: ["grant"] } } })
})

test("what is used is accepted, in every category", () => {
  Tool.exact({
    ...base,
    capabilities: {
      network: { allowedHosts: ["a.com", "*.b.com"] },
      secrets: ["K", "team/*"],
      process: { allowedBinaries: ["*"] },
      storage: { scope: "session", kind: "kv" },
      fs_reach: { read: ["/data"], write: "from-personality" },
      attachments: { kinds: ["image"] },
      records: { verbs: ["read"] },
      agents: { verbs: ["grant"] }
    },
    execute: ({ x }) =>
      Effect.gen(function* () {
        yield* Network.get("https://a.com")
        yield* Network.get("https://x.b.com")
        yield* Secrets.get("K")
        yield* Secrets.get("team/a")
        yield* Process.shell(x)
        yield* Storage.get(x)
        yield* Files.read("/data/x")
        yield* Files.write("/tmp/x", "")
        yield* Attachments.list("image")
        yield* Records.get(x)
        yield* Agents.grant({ agent: x, grants: [] })
      })
  })
})

test("use that is not literal may be of anything in the category", () => {
  Tool.exact({
    ...base,
    capabilities: { network: { allowedHosts: ["a.com", "b.com"] }, fs_reach: { read: ["/a"] } },
    execute: ({ x }) => Effect.all([Network.get(x), Files.read(x)])
  })
})

test("what is not declared is the first complaint", () => {
  Tool.exact({
    ...base,
    // @ts-expect-error is not assignable to type '"capability not declared: secrets needs 'OTHER'"'.
    capabilities: { secrets: ["UNUSED"] },
    execute: () => Secrets.get("OTHER")
  })
})
