/** Capabilities in words, for `describe`, gaps and the command line. */
import type { Capability } from "./Facets.js"

const verbs: Readonly<Record<Capability, string>> = {
  "network.get": "GET from",
  "network.post": "POST to",
  "network.put": "PUT to",
  "network.delete": "DELETE from",
  "private.connect": "connect to the private addresses of",
  "files.read": "read",
  "files.write": "write",
  "files.delete": "delete",
  "process.exec": "run",
  "process.eval": "run a shell in",
  "secrets.read": "read the secrets",
  "storage.use": "use the storage of",
  "attachments.read": "read attachments of kind",
  "records.read": "read records of class",
  "records.create": "create records of class",
  "records.update": "update records of class",
  "records.delete": "delete records of class",
  "agents.create": "create the agents",
  "agents.update": "update the agents",
  "agents.delete": "delete the agents",
  "agents.grant": "grant to the agents",
  "provider.use": "use the provider's tools"
}

/** Scopes of two dimensions have blanks in them: a comma would not tell them apart. */
const separator = (capability: Capability): string => (/^(records|process)\./.test(capability) ? "; " : ", ")

export const phrase = (capability: Capability, scopes: ReadonlyArray<string>): string =>
  `${verbs[capability]} ${scopes.join(separator(capability))}`
