import type { Scope } from "effect"
import type { Agents } from "../capabilities/agents/Agents.js"
import type { Attachments } from "../capabilities/attachments/Attachments.js"
import type { Files } from "../capabilities/files/Files.js"
import type { Network } from "../capabilities/network/Network.js"
import type { Process } from "../capabilities/process/Process.js"
import type { Records } from "../capabilities/records/Records.js"
import type { Secrets } from "../capabilities/secrets/Secrets.js"
import type { Storage } from "../capabilities/storage/Storage.js"

/** The sentence about one requirement that the declaration does not cover. Single quotes print unescaped. */
export type Explain<X> =
  X extends Network.Host<infer H>
    ? Undeclared<`network.allowedHosts needs '${H}'`>
    : X extends Network.Refused<infer U>
      ? `url '${U}' is always refused: only http and https, without user info`
      : X extends Network
        ? Undeclared<"network">
        : X extends Secrets.Ref<infer N>
          ? Undeclared<`secrets needs '${N}'`>
          : X extends Secrets
            ? Undeclared<"secrets">
            : ExplainFiles<X>

type ExplainFiles<X> =
  X extends Files.Read<infer P>
    ? Undeclared<`fs_reach.read needs '${P}'`>
    : X extends Files.Write<infer P>
      ? Undeclared<`fs_reach.write needs '${P}'`>
      : X extends Files.Traversal<infer P>
        ? `path '${P}' contains '..' and is always refused`
        : X extends Files
          ? Undeclared<"fs_reach">
          : ExplainProcess<X>

type ExplainProcess<X> =
  X extends Process.Binary<infer B>
    ? Undeclared<`process.allowedBinaries needs '${B}'`>
    : X extends Process.Shell
      ? Undeclared<"process.allowedBinaries needs '*' (a shell can run anything)">
      : X extends Process
        ? Undeclared<"process">
        : X extends Storage
          ? Undeclared<"storage">
          : ExplainRest<X>

type ExplainRest<X> =
  X extends Attachments.Kind<infer K>
    ? Undeclared<`attachments.kinds needs '${K}'`>
    : X extends Attachments
      ? Undeclared<"attachments">
      : X extends Records.Verb<infer V>
        ? Undeclared<`records.verbs needs '${V}'`>
        : X extends Records
          ? Undeclared<"records">
          : X extends Agents.Verb<infer V>
            ? Undeclared<`agents.verbs needs '${V}'`>
            : X extends Agents
              ? Undeclared<"agents">
              : ExplainForeign<X>

/** Requirements that are no capability: tags carry their key in `Id`, classes of `Effect.Service` in `_tag`. */
type ExplainForeign<X> = X extends Scope.Scope
  ? "'effect/Scope' is not a capability service: close the scope with Effect.scoped"
  : X extends { readonly Id: infer Key extends string } | { readonly _tag: infer Key extends string }
    ? NotACapability<Key>
    : X extends string
      ? NotACapability<X>
      : "execute requires a service that is not a capability: a tool may not require it"

type NotACapability<Key extends string> = `'${Key}' is not a capability service: a tool may not require it`

type Undeclared<What extends string> = `capability not declared: ${What}`
