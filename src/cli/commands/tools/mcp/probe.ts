/** A server that nobody has agreed to yet, started once with nothing held: which hosts was it refused? */
import type { McpGateway } from "../../../../mcp/gateway/McpGateway.js"
import * as Authority from "../../../../policy/lattice/Authority.js"
import type * as ServerEdit from "../../../../policy/server/ServerEdit.js"
import type { Surroundings } from "../../../Surroundings.js"
import type { Place } from "./found.js"

export type Probed = Pick<McpGateway.Probed, "refused" | "failed">

const listOf = (value: string | ReadonlyArray<string> | undefined): ReadonlyArray<string> =>
  value === undefined ? [] : typeof value === "string" ? [value] : value

/** A server at a URL is somebody else's: it touches nothing here, and nothing can be seen of it. */
export const probe = async (
  { keys, name }: Omit<ServerEdit.Definition, "requires">,
  { setting, workspace }: Place,
  around: Surroundings
): Promise<Probed> => {
  const [command] = listOf(keys.command)
  if (command === undefined) return { refused: [], failed: undefined }
  const [{ throughGateway }, gateway] = await Promise.all([
    import("../../../workspace/Asked.js"),
    import("../../../../mcp/gateway/McpGateway.js")
  ])
  const server = {
    name,
    requires: Authority.nothing,
    specs: [],
    transport: {
      _tag: "Local" as const,
      command,
      args: listOf(keys.args),
      // It is given nothing, be it a secret.
      env: [],
      code: listOf(keys.code),
      root: workspace.root
    }
  }
  return throughGateway(gateway.McpGateway.probe(server), [server], setting, around)
}
