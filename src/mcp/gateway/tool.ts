/** A tool of a server, as a tool of a registry. */
import { Effect, type Fiber, Runtime, Schema } from "effect"
import { visible } from "../../policy/text/Stranger.js"
import { NotAvailable } from "../../registry/NotAvailable.js"
import { Serving } from "../../registry/Serving.js"
import { anyObject } from "../../tools/AnyObject.js"
import { Progress } from "../../tools/Progress.js"
import * as Tool from "../../tools/Tool.js"
import type { Connection, Standing } from "./Connection.js"
import { resultOf } from "./content.js"
import type { Gateway, Known } from "./Gateway.js"
import { GatewayError } from "./GatewayError.js"
import type { Limits } from "./Limits.js"
import type { Listening, ProgressReport } from "./Peer.js"
import type { PinnedTool } from "./PinnedTool.js"
import { surroundingsOf } from "./surroundings.js"

type AnyFiber = Fiber.RuntimeFiber<unknown, unknown>

/** Why a tool is not called that is not as it was accepted. */
export const withheld = (server: string, tool: string, standing: Standing): string =>
  standing === "gone"
    ? `the MCP server ${server} does not offer ${tool} any more, or not so that it can be read`
    : `the MCP server ${server} has changed what it says of ${tool} since that was accepted; run 'bailiwick manifest' to see and accept it`

const LONGEST_REPORT = 1024

/** Tells whoever listens how far a call is; nothing, where nobody does. */
const reporting = (fiber: AnyFiber): ((report: ProgressReport) => void) | undefined => {
  const listener = fiber.currentContext.unsafeMap.get(Progress.key) as Progress.Service | undefined
  if (listener === undefined) return undefined
  const runtime = surroundingsOf(fiber)
  return ({ message, progress, total }) => {
    const event = {
      message: visible(message ?? "", LONGEST_REPORT),
      ...(Number.isFinite(progress) ? { done: progress } : {}),
      ...(total !== undefined && Number.isFinite(total) ? { total } : {})
    }
    Runtime.runFork(runtime, listener.report(event))
  }
}

const answerOf = (
  connection: Connection,
  tool: string,
  args: object,
  listening: Listening
): Effect.Effect<unknown, GatewayError> =>
  connection.peer.request("tools/call", { name: tool, arguments: args }, listening)

/** It may be gone only because its server was not told of what nobody answers. */
const unoffered = ({ undeclared }: Connection, standing: Standing): string =>
  standing !== "gone" || undeclared.length === 0
    ? ""
    : `; nobody here answers ${undeclared.join(" and ")}, which it may need`

export const toolOf = (
  gateway: Gateway,
  one: Known,
  limits: Limits,
  pinned: PinnedTool,
  name: string
): Tool.Any => {
  const { server } = one
  const refuse = (detail: string) => new NotAvailable({ tool: name, category: "mcp", detail })
  const execute = (args: object): Effect.Effect<unknown, GatewayError | NotAvailable> =>
    Effect.withFiberRuntime((fiber) => {
      const serving = fiber.currentContext.unsafeMap.get(Serving.key) as Serving.Service | undefined
      if (serving === undefined) return Effect.fail(refuse(`Tool ${name} is called by a registry`))
      const report = reporting(fiber)
      const called = Effect.flatMap(gateway.slotOf(one, serving), (slot) =>
        slot.use(
          serving,
          (connection, caller) =>
            Effect.flatMap(
              connection.standingOf(pinned.name),
              (standing): Effect.Effect<unknown, GatewayError | NotAvailable> =>
                standing === "as pinned"
                  ? Effect.flatMap(answerOf(connection, pinned.name, args, { report, caller }), (answer) => {
                      slot.worked()
                      return resultOf(answer, limits)
                    })
                  : Effect.fail(
                      refuse(withheld(server.name, pinned.name, standing) + unoffered(connection, standing))
                    )
            ),
          ({ detail }) => refuse(detail)
        )
      )
      return gateway.running(called)
    })
  return Tool.make({
    name,
    description: pinned.description === "" ? (pinned.title ?? pinned.name) : pinned.description,
    parameters: anyObject(pinned.parameters),
    capabilities: {},
    failure: Schema.Union(GatewayError, NotAvailable),
    outputIsUntrusted: true,
    readOnly: pinned.readOnly,
    category: `mcp ${server.name}`,
    ...(server.timeoutMillis === undefined ? {} : { deadline: server.timeoutMillis }),
    execute
  })
}
