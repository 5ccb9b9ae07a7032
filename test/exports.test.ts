/** What the package exports is a promise; a change to it is a change to this list. */
import { Schema } from "effect"
import { expect, it } from "vitest"

const names = (module: object): ReadonlyArray<string> => Object.keys(module).sort()

it("the root exports the capabilities as tags, and the rest as namespaces", async () => {
  expect(names(await import("bailiwick"))).toMatchInlineSnapshot(`
    [
      "AgentEdit",
      "AgentRecord",
      "Agents",
      "AgentsError",
      "Annotation",
      "Ask",
      "Attachment",
      "AttachmentRefs",
      "Attachments",
      "AttachmentsBackend",
      "AttachmentsError",
      "Attenuation",
      "AuditEntry",
      "AuditError",
      "AuditSink",
      "Authority",
      "Builtin",
      "Capabilities",
      "Catalog",
      "Decision",
      "Declaration",
      "Denial",
      "Doctor",
      "ErrorCode",
      "Files",
      "FilesBackend",
      "FilesError",
      "Floor",
      "Grant",
      "LeastAuthority",
      "Manifest",
      "Network",
      "NetworkBackend",
      "NetworkError",
      "NotAvailable",
      "Personality",
      "Policy",
      "Process",
      "ProcessBackend",
      "ProcessError",
      "Progress",
      "ProgressEvent",
      "Proof",
      "ProviderTool",
      "Records",
      "RecordsBackend",
      "RecordsError",
      "Registry",
      "RegistryError",
      "Request",
      "Resolver",
      "ScopeInvalid",
      "Secrets",
      "SecretsBackend",
      "SecretsError",
      "Skill",
      "Storage",
      "StorageBackend",
      "StorageError",
      "Tool",
      "ToolResult",
      "Transcript",
      "Turn",
    ]
  `)
})

it("the schemas of a category stand under its tag, each with the name of what it describes", async () => {
  const { Agents, Attachments, Files, Network, Process, Records, Secrets, Storage } = await import(
    "bailiwick"
  )
  const tags = [Agents, Attachments, Files, Network, Process, Records, Secrets, Storage]
  const listed = tags.map(
    ({ key, schemas }) => `${key.replace("bailiwick/", "")}: ${names(schemas).join(" ")}`
  )
  expect(listed).toMatchInlineSnapshot(`
    [
      "Agents: Agent Change Declaration Draft Grant Id Verb",
      "Attachments: Attachment Declaration Kind",
      "Files: Declaration Entry Found Path Query Range Stat",
      "Network: Declaration Head HostPattern Request Response",
      "Process: BinaryPattern Command Declaration Event Order Result Script Signal Started",
      "Records: Change Class Declaration Draft Entry Filter Search Summary Verb",
      "Secrets: Declaration Form Ref Sealed",
      "Storage: Declaration Entry Scope Swap",
    ]
  `)
  for (const { schemas } of tags)
    for (const schema of Object.values(schemas)) expect(Schema.isSchema(schema)).toBe(true)
})

it("bailiwick/testing exports one namespace a category", async () => {
  expect(names(await import("bailiwick/testing"))).toMatchInlineSnapshot(`
    [
      "AttachmentsContract",
      "AuditContract",
      "FilesContract",
      "NetworkContract",
      "ProcessContract",
      "RecordsContract",
      "SecretsContract",
      "StorageContract",
      "TestAgents",
      "TestAttachments",
      "TestFiles",
      "TestNetwork",
      "TestProcess",
      "TestRecords",
      "TestSecrets",
      "TestStorage",
    ]
  `)
})

it("bailiwick/ai exports a namespace for each client of models, and bailiwick/ai/effect what @effect/ai takes", async () => {
  const { AiSdk, Json, ...others } = await import("bailiwick/ai")
  expect(others).toEqual({})
  expect(names(AiSdk)).toEqual(["tools"])
  expect(names(Json)).toEqual([
    "anthropic",
    "openai",
    "openaiChat",
    "runAnthropic",
    "runOpenai",
    "runOpenaiChat"
  ])
  expect(names(await import("bailiwick/ai/effect"))).toEqual(["batch", "merge", "options", "toolkit"])
})

it("bailiwick/mcp exports namespaces for what is served and for HTTP, the gateway, and who answers servers", async () => {
  const { GatewayError, McpGateway, McpHttp, McpServer, PinnedTool, ...asking } = await import(
    "bailiwick/mcp"
  )
  const { Answering, Elicitation, Sampling, Unanswered, ...others } = asking
  expect(others).toEqual({})
  expect([Answering.key, Unanswered._tag]).toEqual(["bailiwick/Answering", "Unanswered"])
  expect(names(Elicitation)).toEqual(["Answer", "Choice", "Field", "Request", "Value", "misfit", "misfits"])
  expect(names(Sampling)).toEqual(["Answer", "Content", "Message", "Preferences", "Request"])
  expect([GatewayError._tag, McpGateway.key]).toEqual(["GatewayError", "bailiwick/McpGateway"])
  expect(names(PinnedTool)).toEqual(["digestOf"])
  expect(names(McpServer)).toEqual(["Unserved", "defaultLimits", "session", "stdio"])
  expect(names(McpHttp)).toEqual(["HttpError", "defaultHttpLimits", "serve", "token"])
})

it("bailiwick/isolated exports the toolkit of a module, its description, and how much it may say", async () => {
  expect(names(await import("bailiwick/isolated"))).toEqual([
    "Described",
    "IsolatedError",
    "defaults",
    "describe",
    "digestOf",
    "toolkit",
    "tools"
  ])
})

it("bailiwick/adapters exports a namespace for each platform, and one for what they share", async () => {
  const { Discord, Email, Inbound, Slack, Telegram, ...others } = await import("bailiwick/adapters")
  expect(others).toEqual({})
  expect(names(Telegram)).toEqual(["hosts", "make", "poll", "webhook"])
  expect(names(Slack)).toEqual(["hosts", "make", "webhook"])
  expect(names(Discord)).toEqual(["hosts", "make", "webhook"])
  expect(names(Email)).toEqual(["fromFile", "maildir", "make"])
  expect(names(Inbound)).toEqual([
    "AdapterError",
    "InboundMessage",
    "finding",
    "isEd25519",
    "isHmac",
    "isTimely",
    "publicKey",
    "receiver",
    "refuse",
    "sameText",
    "turn",
    "webhook"
  ])
})

it("bailiwick/postgres exports the backends in PostgreSQL, and what they stand on", async () => {
  const {
    Database,
    DatabaseError,
    Fence,
    Migrations,
    PostgresAudit,
    PostgresClient,
    PostgresRecords,
    PostgresStorage,
    ...others
  } = await import("bailiwick/postgres")
  expect(others).toEqual({})
  expect([DatabaseError._tag, Database.Database.key, Fence.Fence.key]).toEqual([
    "DatabaseError",
    "bailiwick/postgres/Database",
    "bailiwick/postgres/Fence"
  ])
  expect(names(Database)).toEqual(["Database", "layer", "layerClient", "layerSecret"])
  expect(names(Fence)).toEqual(["Fence", "claim", "layer", "make", "renew", "revoke"])
  expect(names(Migrations)).toEqual(["sql", "version"])
  expect(names(PostgresAudit)).toEqual(["after", "follow", "layer", "read", "verify"])
  expect(names(PostgresClient)).toEqual(["layerSecret"])
  expect(names(PostgresRecords)).toEqual(["layer", "make"])
  expect(names(PostgresStorage)).toEqual(["layer", "make"])
})

it("bailiwick/eslint-plugin exports a plugin with one rule and one configuration, and nothing else", async () => {
  const module = await import("bailiwick/eslint-plugin")
  expect(names(module)).toEqual(["default"])
  expect(names(module.default.rules)).toEqual(["no-ambient-authority"])
  expect(names(module.default.configs)).toEqual(["recommended"])
})

it("bailiwick/node exports the live backends, one by one and all at once", async () => {
  expect(names(await import("bailiwick/node"))).toMatchInlineSnapshot(`
    [
      "AttachmentCache",
      "Audit",
      "AuditFiles",
      "MemoryAudit",
      "MemoryRecords",
      "MemoryStorage",
      "NodeAttachments",
      "NodeBackends",
      "NodeFiles",
      "NodeNetwork",
      "NodeProcess",
      "NodeRecords",
      "NodeSecrets",
      "NodeStorage",
    ]
  `)
})

it("bailiwick/platform exports the services of the platform, and the way back from its errors", async () => {
  expect(names(await import("bailiwick/platform"))).toMatchInlineSnapshot(`
    [
      "PlatformBackends",
      "PlatformFiles",
      "PlatformNetwork",
      "PlatformStorage",
      "absorbed",
      "layerCommandExecutor",
      "layerFileSystem",
      "layerFileSystemAt",
      "layerHttpClient",
      "layerHttpClientFor",
      "layerHttpClientTraced",
      "layerKeyValueStore",
      "layerPath",
    ]
  `)
})

it("bailiwick/cluster exports clients and runners", async () => {
  const { ClusterError, ClusterRegistry, ...others } = await import("bailiwick/cluster")
  expect(others).toEqual({})
  expect(ClusterError._tag).toBe("ClusterError")
  expect(names(ClusterRegistry)).toEqual([
    "ClusterClient",
    "Runner",
    "RunnerLife",
    "checkRunner",
    "client",
    "defaults",
    "layerClient",
    "layerLife",
    "layerRunner",
    "policies",
    "policyNamed"
  ])
})
