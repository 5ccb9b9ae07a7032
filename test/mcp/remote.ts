/** A server that others run, on loopback, as it is written down; and waiting for what it does. */
import { Effect } from "effect"
import type { Server } from "../../src/policy/server/Server.js"
import { authority } from "./gatewayWorld.js"

const soon = Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))

export const untilTrue = (is: () => Effect.Effect<boolean>): Effect.Effect<void> =>
  Effect.flatMap(Effect.zipRight(soon, Effect.suspend(is)), (isSo) => (isSo ? Effect.void : untilTrue(is)))

export const until = (is: () => boolean): Effect.Effect<void> => untilTrue(() => Effect.sync(is))

export const HOST = "127.0.0.1"

export const all = (host: string) => ({ get: [host], post: [host], delete: [host] })

export const remote = (port: number, more: Partial<Server> = {}): Server => ({
  name: "far",
  requires: authority({ network: all(HOST), private: { connect: [`${HOST}:${port}`] } }),
  specs: [],
  transport: { _tag: "Remote", url: `http://${HOST}:${port}/mcp`, headers: [] },
  ...more
})
