// A declaration that is wrong in itself is a complaint on `capabilities`, in words, whatever the tool uses.
import { Effect, Schema } from "effect"
import { expect, test } from "tstyche"
import type { BackendsOf, Capabilities, ServicesOf } from "../src/capabilities/Capabilities.js"
import { Network } from "../src/capabilities/network/Network.js"
import { Process } from "../src/capabilities/process/Process.js"
import type { ProcessBackend } from "../src/capabilities/process/ProcessBackend.js"
import { Secrets } from "../src/capabilities/secrets/Secrets.js"
import * as Tool from "../src/tools/Tool.js"

const base = { name: "t", description: "d", parameters: Schema.Struct({ x: Schema.String }) } as const
const nothing = { ...base, execute: () => Effect.void } as const

test("a misspelled category names the close match", () => {
  // @ts-expect-error is not assignable to type '"unknown capability 'netwrok': did you mean 'network'?"'.
  Tool.make({ ...nothing, capabilities: { netwrok: { allowedHosts: ["a.com"] } } })
  Tool.make({
    ...base,
    // @ts-expect-error is not assignable to type '"unknown capability 'netwrok': did you mean 'network'?"'.
    capabilities: { netwrok: { allowedHosts: ["a.com"] }, secrets: ["K"] },
    execute: () => Secrets.get("K")
  })
  // @ts-expect-error is not assignable to type '"unknown capability 'Secret': did you mean 'secrets'?"'.
  Tool.make({ ...nothing, capabilities: { Secret: ["A"] } })
  // @ts-expect-error is not assignable to type '"unknown capability 'strage': did you mean 'storage'?"'.
  Tool.make({ ...nothing, capabilities: { strage: { scope: "session", kind: "kv" } } })
  // @ts-expect-error is not assignable to type '"unknown capability 'fs_raech': did you mean 'fs_reach'?"'.
  Tool.make({ ...nothing, capabilities: { fs_raech: { read: ["/a"] } } })
  // @ts-expect-error is not assignable to type '"unknown capability 'proccess': did you mean 'process'?"'.
  Tool.make({ ...nothing, capabilities: { proccess: { allowedBinaries: ["git"] } } })
})

test("a word for a category that is not its name names the category", () => {
  // @ts-expect-error is not assignable to type '"unknown capability 'fs': did you mean 'fs_reach'?"'.
  Tool.make({ ...nothing, capabilities: { fs: { read: ["/a"] } } })
  // @ts-expect-error is not assignable to type '"unknown capability 'filesystem': did you mean 'fs_reach'?"'.
  Tool.make({ ...nothing, capabilities: { filesystem: { read: ["/a"] } } })
  // @ts-expect-error is not assignable to type '"unknown capability 'http': did you mean 'network'?"'.
  Tool.make({ ...nothing, capabilities: { http: { allowedHosts: ["a.com"] } } })
  // @ts-expect-error is not assignable to type '"unknown capability 'env': did you mean 'secrets'?"'.
  Tool.make({ ...nothing, capabilities: { env: ["A"] } })
  // @ts-expect-error is not assignable to type '"unknown capability 'kv': did you mean 'storage'?"'.
  Tool.make({ ...nothing, capabilities: { kv: {} } })
  // @ts-expect-error is not assignable to type '"unknown capability 'exec': did you mean 'process'?"'.
  Tool.make({ ...nothing, capabilities: { exec: {} } })
  // @ts-expect-error is not assignable to type '"unknown capability 'attachment': did you mean 'attachments'?"'.
  Tool.make({ ...nothing, capabilities: { attachment: {} } })
  // @ts-expect-error is not assignable to type '"unknown capability 'record': did you mean 'records'?"'.
  Tool.make({ ...nothing, capabilities: { record: {} } })
  // @ts-expect-error is not assignable to type '"unknown capability 'agent': did you mean 'agents'?"'.
  Tool.make({ ...nothing, capabilities: { agent: {} } })
})

test("an unknown category with no close match lists what exists", () => {
  // @ts-expect-error '"unknown capability 'browser': the categories are network, secrets, storage, fs_reach, process, attachments, records, agents"'.
  Tool.make({ ...nothing, capabilities: { browser: {} } })
})

test("a misspelled key names the close match", () => {
  Tool.make({
    ...base,
    // @ts-expect-error is not assignable to type '"unknown key 'alowed' in capability 'network': did you mean 'allowedHosts'?"'.
    capabilities: { network: { allowedHosts: ["a.com"], alowed: 1 } },
    execute: () => Network.get("https://a.com")
  })
  // @ts-expect-error is not assignable to type '"unknown key 'alowedHosts' in capability 'network': did you mean 'allowedHosts'?"'.
  Tool.make({ ...nothing, capabilities: { network: { alowedHosts: ["a.com"] } } })
  // @ts-expect-error is not assignable to type '"unknown key 'binaries' in capability 'process': did you mean 'allowedBinaries'?"'.
  Tool.make({ ...nothing, capabilities: { process: { binaries: ["git"] } } })
  // @ts-expect-error is not assignable to type '"unknown key 'raed' in capability 'fs_reach': did you mean 'read'?"'.
  Tool.make({ ...nothing, capabilities: { fs_reach: { raed: ["/a"] } } })
  // @ts-expect-error is not assignable to type '"unknown key 'ttl' in capability 'storage': did you mean 'ttlSecondsDefault'?"'.
  Tool.make({ ...nothing, capabilities: { storage: { scope: "session", kind: "kv", ttl: 1 } } })
  // @ts-expect-error is not assignable to type '"unknown key 'kind' in capability 'attachments': did you mean 'kinds'?"'.
  Tool.make({ ...nothing, capabilities: { attachments: { kind: ["image"] } } })
  // @ts-expect-error is not assignable to type '"unknown key 'verb' in capability 'records': did you mean 'verbs'?"'.
  Tool.make({ ...nothing, capabilities: { records: { verb: ["read"] } } })
})

test("an unknown key with no close match lists what exists", () => {
  // @ts-expect-error is not assignable to type '"unknown key 'timeout' in capability 'network': the keys are allowedHosts, for"'.
  Tool.make({ ...nothing, capabilities: { network: { allowedHosts: [], timeout: 1 } } })
  // @ts-expect-error is not assignable to type '"unknown key 'mode' in capability 'agents': the keys are verbs, ids"'.
  Tool.make({ ...nothing, capabilities: { agents: { verbs: [], mode: 1 } } })
})

test("a key that must be there is asked for", () => {
  // @ts-expect-error is not assignable to type '"key 'allowedHosts' is missing in capability 'network'"'.
  Tool.make({ ...nothing, capabilities: { network: {} } })
  // @ts-expect-error is not assignable to type '"key 'kind' is missing in capability 'storage'"'.
  Tool.make({ ...nothing, capabilities: { storage: { scope: "session" } } })
  // @ts-expect-error is not assignable to type '"key 'verbs' is missing in capability 'agents'"'.
  Tool.make({ ...nothing, capabilities: { agents: { ids: ["a"] } } })
})

test("network for children supplies nothing, and is spelt like any other", () => {
  const run = { allowedBinaries: ["git"] } as const
  const children = { allowedHosts: ["a.com"], for: "children" } as const
  Tool.make({
    ...base,
    capabilities: { process: run, network: children },
    execute: () => Process.spawn("git")
  })
  Tool.exact({
    ...base,
    capabilities: { process: run, network: children },
    execute: () => Process.spawn("git")
  })
  Tool.make({
    ...base,
    // @ts-expect-error is not assignable to type '"capability not declared: network.allowedHosts needs 'a.com'"'.
    capabilities: { process: run, network: children },
    execute: () => Network.get("https://a.com")
  })
  Tool.make({
    ...base,
    // @ts-expect-error is not assignable to type '"capability not declared: network"'.
    capabilities: { process: run, network: { allowedHosts: ["*"], for: "children" } },
    execute: ({ x }) => Network.get(x)
  })
  Tool.make({
    ...nothing,
    // @ts-expect-error is not assignable to type '"network.allowedHosts: 'a.com/' is not a bare host name"'.
    capabilities: { process: run, network: { allowedHosts: ["a.com/"], for: "children" } }
  })
  // @ts-expect-error is not assignable to type '"key 'allowedHosts' is missing in capability 'network'"'.
  Tool.make({ ...nothing, capabilities: { process: run, network: { for: "children" } } })
  // @ts-expect-error Type '"me"' is not assignable to type '"children"'.
  Tool.make({ ...nothing, capabilities: { process: run, network: { allowedHosts: ["*"], for: "me" } } })
  expect<ServicesOf<{ network: typeof children; process: typeof run }>>().type.toBe<
    ServicesOf<{ process: typeof run }>
  >()
  expect<BackendsOf<{ network: typeof children; process: typeof run }>>().type.toBe<ProcessBackend>()
})

test("a value of the wrong type is reported where it stands", () => {
  // @ts-expect-error Type 'string' is not assignable to type 'readonly string[]'.
  Tool.make({ ...nothing, capabilities: { network: { allowedHosts: "a.com" } } })
  // @ts-expect-error Type '"pdf"[]' is not assignable to type
  Tool.make({ ...nothing, capabilities: { attachments: { kinds: ["pdf"] } } })
  // @ts-expect-error Type '"global"' is not assignable to type '"tool-private" | "session" | "personality"
  Tool.make({ ...nothing, capabilities: { storage: { scope: "global", kind: "kv" } } })
})

test("a URL where a host belongs", () => {
  Tool.make({
    ...base,
    // @ts-expect-error is not assignable to type '"network.allowedHosts: 'https://a.com/x' is not a bare host name"'.
    capabilities: { network: { allowedHosts: ["https://a.com/x"] } },
    execute: ({ x }) => Network.get(x)
  })
})

test("a host with a port, a path, a space, user info or a star inside", () => {
  // @ts-expect-error is not assignable to type '"network.allowedHosts: 'a.com:8080' is not a bare host name"'.
  Tool.make({ ...nothing, capabilities: { network: { allowedHosts: ["a.com:8080"] } } })
  // @ts-expect-error is not assignable to type '"network.allowedHosts: 'a.com/' is not a bare host name"'.
  Tool.make({ ...nothing, capabilities: { network: { allowedHosts: ["a.com/"] } } })
  // @ts-expect-error is not assignable to type '"network.allowedHosts: 'a.com b.com' is not a bare host name"'.
  Tool.make({ ...nothing, capabilities: { network: { allowedHosts: ["a.com b.com"] } } })
  // @ts-expect-error is not assignable to type '"network.allowedHosts: 'me@a.com' is not a bare host name"'.
  Tool.make({ ...nothing, capabilities: { network: { allowedHosts: ["me@a.com"] } } })
  // @ts-expect-error is not assignable to type '"network.allowedHosts: 'api.*.com' is not a bare host name"'.
  Tool.make({ ...nothing, capabilities: { network: { allowedHosts: ["api.*.com"] } } })
  // @ts-expect-error is not assignable to type '"network.allowedHosts: '**.a.com' is not a bare host name"'.
  Tool.make({ ...nothing, capabilities: { network: { allowedHosts: ["**.a.com"] } } })
  // @ts-expect-error is not assignable to type '"network.allowedHosts: '' is not a bare host name"'.
  Tool.make({ ...nothing, capabilities: { network: { allowedHosts: [""] } } })
})

test("a wildcard over a public suffix", () => {
  // @ts-expect-error is not assignable to type '"network.allowedHosts: '*.com' covers a whole public suffix"'.
  Tool.make({ ...nothing, capabilities: { network: { allowedHosts: ["*.com"] } } })
})

test("a path that can never match", () => {
  // @ts-expect-error is not assignable to type '"fs_reach.read: 'data' is not an absolute path: start it with '/' or '~/'"'.
  Tool.make({ ...nothing, capabilities: { fs_reach: { read: ["data"] } } })
  // @ts-expect-error is not assignable to type '"fs_reach.write: './data' is not an absolute path: start it with '/' or '~/'"'.
  Tool.make({ ...nothing, capabilities: { fs_reach: { write: ["./data"] } } })
  // @ts-expect-error is not assignable to type '"fs_reach.read: '/data/../etc' contains '..'"'.
  Tool.make({ ...nothing, capabilities: { fs_reach: { read: ["/data/../etc"] } } })
  // @ts-expect-error is not assignable to type '"fs_reach.write: '/data/*' is a glob: declare the directory above it"'.
  Tool.make({ ...nothing, capabilities: { fs_reach: { write: ["/data/*"] } } })
  // @ts-expect-error is not assignable to type '"fs_reach.read: '/data/?' is a glob: declare the directory above it"'.
  Tool.make({ ...nothing, capabilities: { fs_reach: { read: ["/data/?"] } } })
})

test("a secret that is no name", () => {
  // @ts-expect-error is not assignable to type '"secrets: '*' is not a name or a folder such as 'a/b/*'"'.
  Tool.make({ ...nothing, capabilities: { secrets: ["*"] } })
  // @ts-expect-error is not assignable to type '"secrets: '/*' is not a name or a folder such as 'a/b/*'"'.
  Tool.make({ ...nothing, capabilities: { secrets: ["/*"] } })
  // @ts-expect-error is not assignable to type '"secrets: 'KEY_*' is not a name or a folder such as 'a/b/*'"'.
  Tool.make({ ...nothing, capabilities: { secrets: ["KEY_*"] } })
})

test("capabilities that are not literal", () => {
  const widened = { network: { allowedHosts: ["a.com"] } }
  Tool.make({
    ...base,
    // @ts-expect-error is not assignable to type '"capabilities are not literal: write them inline, add 'as const', or give Tool.dynamic what only the run time knows"'.
    capabilities: widened,
    execute: () => Network.get("https://evil.com")
  })
  const host: string = "a.com"
  // @ts-expect-error is not assignable to type '"capabilities are not literal: write them inline, add 'as const', or give Tool.dynamic what only the run time knows"'.
  Tool.make({ ...nothing, capabilities: { secrets: ["A", host] } })
  // @ts-expect-error is not assignable to type '"capabilities are not literal: write them inline, add 'as const', or give Tool.dynamic what only the run time knows"'.
  Tool.make({ ...nothing, capabilities: { process: { allowedBinaries: [host] } } })
  // @ts-expect-error is not assignable to type '"capabilities are not literal: write them inline, add 'as const', or give Tool.dynamic what only the run time knows"'.
  Tool.make({ ...nothing, capabilities: { fs_reach: { read: [host] } } })
  const any: Capabilities = {}
  // @ts-expect-error is not assignable to type '"capabilities are not literal: write them inline, add 'as const', or give Tool.dynamic what only the run time knows"'.
  Tool.make({ ...nothing, capabilities: any })
})

test("capabilities in a constant are literal", () => {
  const narrow = { network: { allowedHosts: ["a.com"] } } as const
  Tool.make({ ...base, capabilities: narrow, execute: () => Network.get("https://a.com") })
})

test("a mistake in the declaration is named beside the use it leaves uncovered", () => {
  Tool.make({
    ...base,
    // @ts-expect-error '"unknown capability 'newtork': did you mean 'network'?" | "capability not declared: network.allowedHosts needs 'third.com'"'.
    capabilities: { newtork: { allowedHosts: ["third.com"] } },
    execute: () => Network.get("https://third.com")
  })
})

test("capabilities may not be left out", () => {
  // @ts-expect-error Property 'capabilities' is missing
  Tool.make({ ...base, execute: ({ x }) => Secrets.get(x) })
})

test("what may be there or not", () => {
  const flag = Boolean(base.name)
  const maybe: { readonly network?: { readonly allowedHosts: readonly ["a.com"] } } = {}
  Tool.make({
    ...base,
    // @ts-expect-error is not assignable to type '"capability 'network' is optional: declare it, or leave it out"'.
    capabilities: { ...maybe },
    execute: () => Network.get("https://a.com")
  })
  Tool.exact({
    ...base,
    // @ts-expect-error is not assignable to type '"capability 'network' is optional: declare it, or leave it out"'.
    capabilities: maybe,
    execute: () => Network.get("https://a.com")
  })
  // @ts-expect-error is not assignable to type '"capability 'secrets' is optional: declare it, or leave it out"'.
  Tool.make({ ...nothing, capabilities: { ...(flag ? { secrets: ["A"] } : {}) } })
  // @ts-expect-error is not assignable to type '"capability 'secrets' is optional: declare it, or leave it out"'.
  Tool.make({ ...nothing, capabilities: flag ? { secrets: ["A"] } : {} })
  const hosts: { readonly allowedHosts?: readonly ["a.com"] } = {}
  // @ts-expect-error "key 'allowedHosts' is optional in capability 'network': declare it, or leave it out"
  Tool.make({ ...nothing, capabilities: { network: hosts } })
  const paths: { readonly read?: readonly ["/a"] } = {}
  // @ts-expect-error "key 'read' is optional in capability 'fs_reach': declare it, or leave it out"
  Tool.make({ ...nothing, capabilities: { fs_reach: paths } })
})

test("what says nothing of what it holds", () => {
  // biome-ignore lint/suspicious/noEmptyInterface: an alias is another thing to the compiler
  interface Empty {}
  const hidden: Empty = { network: { allowedHosts: ["a.com"] } }
  // @ts-expect-error is not assignable to type '"capabilities are not literal: write them inline, add 'as const', or give Tool.dynamic what only the run time knows"'.
  Tool.make({ ...nothing, capabilities: hidden })
  const object: object = hidden
  // @ts-expect-error is not assignable to type '"capabilities are not literal: write them inline, add 'as const', or give Tool.dynamic what only the run time knows"'.
  Tool.make({ ...nothing, capabilities: object })
})
