/** What the package exports is a promise; a change to it is a change to this list. */
import { expect, it } from "vitest"

const names = (module: object): ReadonlyArray<string> => Object.keys(module).sort()

it("the root exports the capabilities as tags, and the rest as namespaces", async () => {
  expect(names(await import("bailiwick"))).toMatchInlineSnapshot(`
    [
      "Agent",
      "AgentChange",
      "AgentDraft",
      "AgentGrant",
      "AgentId",
      "Agents",
      "AgentsDeclaration",
      "AgentsError",
      "AgentsVerb",
      "Attachment",
      "AttachmentKind",
      "Attachments",
      "AttachmentsDeclaration",
      "AttachmentsError",
      "Authority",
      "BinaryPattern",
      "Capabilities",
      "Decision",
      "Declaration",
      "DeclaredPath",
      "Denial",
      "FileStat",
      "Files",
      "FilesDeclaration",
      "FilesError",
      "HostPattern",
      "Network",
      "NetworkDeclaration",
      "NetworkError",
      "NetworkRequest",
      "NetworkResponse",
      "Process",
      "ProcessCommand",
      "ProcessDeclaration",
      "ProcessError",
      "ProcessEvent",
      "ProcessResult",
      "ProcessScript",
      "Progress",
      "ProgressEvent",
      "RecordChange",
      "RecordClass",
      "RecordDraft",
      "RecordEntry",
      "RecordFilter",
      "RecordSearch",
      "RecordSummary",
      "Records",
      "RecordsDeclaration",
      "RecordsError",
      "RecordsVerb",
      "Request",
      "ScopeInvalid",
      "SecretRef",
      "Secrets",
      "SecretsDeclaration",
      "SecretsError",
      "Storage",
      "StorageDeclaration",
      "StorageEntry",
      "StorageError",
      "StorageScope",
      "StorageSwap",
      "Tool",
    ]
  `)
})

it("bailiwick/testing exports one namespace a category", async () => {
  expect(names(await import("bailiwick/testing"))).toMatchInlineSnapshot(`
    [
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
