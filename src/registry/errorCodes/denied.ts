/** Which codes come with a denial. */
import { AgentsError } from "../../capabilities/agents/Agents.js"
import { AttachmentsError } from "../../capabilities/attachments/Attachments.js"
import type { CapabilityError } from "../../capabilities/Capabilities.js"
import { FilesError } from "../../capabilities/files/Files.js"
import { NetworkError } from "../../capabilities/network/Network.js"
import { ProcessError } from "../../capabilities/process/Process.js"
import { RecordsError } from "../../capabilities/records/RecordsOperations.js"
import { SecretsError } from "../../capabilities/secrets/Secrets.js"
import { StorageError } from "../../capabilities/storage/Storage.js"
import { Code } from "../../policy/lattice/Denial.js"
import { ScopeInvalid } from "../../policy/lattice/ScopeInvalid.js"

const isDenied = <C extends string>(code: C): code is C & Code =>
  (Code.literals as ReadonlyArray<string>).includes(code)

/** Those of an error that a denial may have too. */
export const deniedOf = <C extends string>(codes: ReadonlyArray<C>): ReadonlyArray<C & Code> =>
  codes.filter(isDenied)

type Elsewhere = CapabilityError["code"] | ScopeInvalid["code"]

const elsewhere: ReadonlySet<string> = new Set<Elsewhere>([
  ...AgentsError.fields.code.literals,
  ...AttachmentsError.fields.code.literals,
  ...FilesError.fields.code.literals,
  ...NetworkError.fields.code.literals,
  ...ProcessError.fields.code.literals,
  ...RecordsError.fields.code.literals,
  ...SecretsError.fields.code.literals,
  ...StorageError.fields.code.literals,
  ...ScopeInvalid.fields.code.literals
])

/** Those of a denial that no error has. */
export const onlyDenied: ReadonlyArray<Exclude<Code, Elsewhere>> = Code.literals.filter(
  (code): code is Exclude<Code, Elsewhere> => !elsewhere.has(code)
)
