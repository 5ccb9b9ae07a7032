import type { Agents } from "../capabilities/agents/Agents.js"
import type { Attachments } from "../capabilities/attachments/Attachments.js"
import type { Files } from "../capabilities/files/Files.js"
import type { Items } from "../capabilities/Literals.js"
import type { Network } from "../capabilities/network/Network.js"
import type { Process } from "../capabilities/process/Process.js"
import type { Records } from "../capabilities/records/Records.js"
import type { Secrets } from "../capabilities/secrets/Secrets.js"
import type { Storage } from "../capabilities/storage/Storage.js"

/**
 * A sentence for each thing that the declaration `C` lists and the requirements `R` never ask for. Use that is not
 * literal asks for the category as a whole, and may be of anything in it.
 */
export type Unused<R, C> = {
  readonly [K in keyof C]-?: K extends keyof UnusedIn<R, C[K]> ? UnusedIn<R, C[K]>[K] : never
}[keyof C]

interface UnusedIn<R, D> {
  readonly network: Network extends R ? never : UnusedHost<R, List<D, "allowedHosts">>
  readonly secrets: Secrets extends R ? never : UnusedSecret<R, Items<D>>
  readonly storage: Storage extends R ? never : Never<"storage">
  readonly fs_reach: Files extends R
    ? never
    : UnusedRead<R, List<D, "read">> | UnusedWrite<R, List<D, "write">>
  readonly process: Process extends R ? never : UnusedBinary<R, List<D, "allowedBinaries">>
  readonly attachments: Attachments extends R ? never : UnusedKind<R, List<D, "kinds">>
  readonly records: Records extends R ? never : UnusedRecordsVerb<R, List<D, "verbs">>
  readonly agents: Agents extends R ? never : UnusedAgentsVerb<R, List<D, "verbs">>
}

type List<D, K extends string> = K extends keyof D ? Items<D[K]> : never

type UnusedHost<R, H extends string> = H extends unknown
  ? IfUnused<R, Network.Declared<H>, `network.allowedHosts '${H}'`>
  : never
type UnusedSecret<R, N extends string> = N extends unknown
  ? IfUnused<R, Secrets.Declared<N>, `secrets '${N}'`>
  : never
type UnusedRead<R, P extends string> = P extends unknown
  ? IfUnused<R, Files.DeclaredRead<P>, `fs_reach.read '${P}'`>
  : never
type UnusedWrite<R, P extends string> = P extends unknown
  ? IfUnused<R, Files.DeclaredWrite<P>, `fs_reach.write '${P}'`>
  : never
type UnusedBinary<R, B extends string> = B extends unknown
  ? IfUnused<R, Process.Declared<B>, `process.allowedBinaries '${B}'`>
  : never
type UnusedKind<R, K extends string> = K extends unknown
  ? IfUnused<R, Attachments.Declared<K>, `attachments.kinds '${K}'`>
  : never
type UnusedRecordsVerb<R, V extends string> = V extends unknown
  ? IfUnused<R, Records.Verb<V>, `records.verbs '${V}'`>
  : never
type UnusedAgentsVerb<R, V extends string> = V extends unknown
  ? IfUnused<R, Agents.Verb<V>, `agents.verbs '${V}'`>
  : never

type IfUnused<R, Covers, What extends string> = [Extract<R, Covers>] extends [never] ? Never<What> : never

type Never<What extends string> = `declared but never used: ${What}`
