/**
 * Mistakes, and what the compiler says of each. This file does not compile: a test compiles it and holds every
 * `error` comment to the line above it.
 */
import { Attachments, Files, Network, Process, Records, Secrets, Storage, Tool } from "bailiwick"
import { Context, Effect, Schema } from "effect"

const shared = { description: "A mistake", parameters: Schema.Struct({ url: Schema.String }) }

export const undeclaredHost = Tool.make({
  name: "undeclared_host",
  ...shared,
  capabilities: { network: { allowedHosts: ["api.weather.gov", "*.github.com"] } },
  // error: capability not declared: network.allowedHosts needs 'github.com'
  execute: () =>
    Effect.gen(function* () {
      yield* Network.get("https://api.github.com/meta")
      return yield* Network.get("https://github.com/")
    })
})

export const undeclaredSecret = Tool.make({
  name: "undeclared_secret",
  ...shared,
  capabilities: { secrets: ["WEATHER_API_KEY"] },
  // error: capability not declared: secrets needs 'STRIPE_KEY'
  execute: () => Secrets.get("STRIPE_KEY")
})

export const undeclaredBinary = Tool.make({
  name: "undeclared_binary",
  ...shared,
  capabilities: { process: { allowedBinaries: ["git"] } },
  // error: capability not declared: process.allowedBinaries needs 'rm'
  execute: ({ url }) => Process.spawn("rm", [url])
})

export const neighbouringDirectory = Tool.make({
  name: "neighbouring_directory",
  ...shared,
  capabilities: { fs_reach: { read: ["/data"] } },
  // error: capability not declared: fs_reach.read needs '/database/x'
  execute: () => Files.read("/database/x")
})

export const writingWhatIsOnlyRead = Tool.make({
  name: "writing_what_is_only_read",
  ...shared,
  capabilities: { fs_reach: { read: ["/data"] } },
  // error: capability not declared: fs_reach.write needs '/data/x'
  execute: () => Files.write("/data/x", "")
})

export const climbing = Tool.make({
  name: "climbing",
  ...shared,
  capabilities: { fs_reach: { read: ["/data"] } },
  // error: path '/data/../etc/passwd' contains '..' and is always refused
  execute: () => Files.read("/data/../etc/passwd")
})

export const undeclaredKind = Tool.make({
  name: "undeclared_kind",
  ...shared,
  capabilities: { attachments: { kinds: ["image"] } },
  // error: capability not declared: attachments.kinds needs 'file'
  execute: () => Attachments.list("file")
})

export const undeclaredVerb = Tool.make({
  name: "undeclared_verb",
  ...shared,
  capabilities: { records: { verbs: ["read"] } },
  // error: capability not declared: records.verbs needs 'delete'
  execute: () => Records.delete("notes/today")
})

export const undeclaredCategory = Tool.make({
  name: "undeclared_category",
  ...shared,
  capabilities: {},
  // error: capability not declared: storage
  execute: () => Storage.get("key")
})

export const misspeltCategory = Tool.make({
  name: "misspelt_category",
  ...shared,
  capabilities: { netwrok: { allowedHosts: ["api.weather.gov"] } },
  // error: unknown capability 'netwrok': did you mean 'network'?
  execute: ({ url }) => Effect.succeed(url)
})

export const misspeltKey = Tool.make({
  name: "misspelt_key",
  ...shared,
  capabilities: { network: { allowedHost: ["api.weather.gov"] } },
  // error: unknown key 'allowedHost' in capability 'network': did you mean 'allowedHosts'?
  execute: ({ url }) => Effect.succeed(url)
})

export const urlForHost = Tool.make({
  name: "url_for_host",
  ...shared,
  capabilities: { network: { allowedHosts: ["https://api.weather.gov/points"] } },
  // error: network.allowedHosts: 'https://api.weather.gov/points' is not a bare host name
  execute: ({ url }) => Network.get(url)
})

export const wholeSuffix = Tool.make({
  name: "whole_suffix",
  ...shared,
  capabilities: { network: { allowedHosts: ["*.com"] } },
  // error: network.allowedHosts: '*.com' covers a whole public suffix
  execute: ({ url }) => Network.get(url)
})

class Database extends Context.Tag("app/Database")<Database, { readonly query: Effect.Effect<number> }>() {}

export const applicationService = Tool.make({
  name: "application_service",
  ...shared,
  capabilities: {},
  // error: 'app/Database' is not a capability: add its tag to services, or do without it
  execute: () => Effect.flatMap(Database, (database) => database.query)
})

export const requirementLost = Tool.make({
  name: "requirement_lost",
  ...shared,
  capabilities: {},
  // error: execute requires 'any': capability use cannot be checked
  // biome-ignore lint/suspicious/noExplicitAny: this is the mistake
  execute: ({ url }) => Effect.succeed(url) as Effect.Effect<string, never, any>
})

class OutOfPaper extends Schema.TaggedError<OutOfPaper>()("OutOfPaper", {}) {}

export const undeclaredFailure = Tool.make({
  name: "undeclared_failure",
  ...shared,
  capabilities: {},
  execute: ({ url }) => (url === "" ? Effect.fail(new OutOfPaper()) : Effect.succeed(url))
  // error: failure not declared: write 'failure: OutOfPaper' where OutOfPaper is a Schema.TaggedError
})

export const failureWithoutSchema = Tool.make({
  name: "failure_without_schema",
  ...shared,
  capabilities: { network: { allowedHosts: ["a.com"] } },
  execute: () => Effect.timeout(Network.get("https://a.com/"), "1 second")
  // error: failure not declared: 'TimeoutException': write Effect.timeoutFail with a failure of your own, or set the option 'deadline'
})

export const hostsFromConfiguration = (hosts: ReadonlyArray<string>) =>
  Tool.make({
    name: "hosts_from_configuration",
    ...shared,
    capabilities: { network: { allowedHosts: hosts } },
    // error: capabilities are not literal: write them inline, add 'as const', or give Tool.dynamic what only the run time knows
    execute: ({ url }) => Network.get(url)
  })

export const genericInWhatItRequires = <R>(effect: Effect.Effect<string, never, R>) =>
  Tool.make({
    name: "generic_in_what_it_requires",
    ...shared,
    capabilities: { network: { allowedHosts: ["*"] } },
    execute: () => effect
    // error: in a generic function execute may need more than is declared: declare the category, or constrain the type parameter
  })

export const noObject = Tool.make({
  name: "no_object",
  description: "A mistake",
  parameters: Schema.String,
  // error: parameters are not an object: give a Schema.Struct, a Schema.Class, or a union of them
  capabilities: {},
  execute: (text) => Effect.succeed(text)
})

export const overDeclared = Tool.exact({
  name: "over_declared",
  ...shared,
  capabilities: { network: { allowedHosts: ["a.com"] }, secrets: ["UNUSED"] },
  // error: declared but never used: secrets 'UNUSED'
  execute: () => Network.get("https://a.com/")
})
