/** The transport of a cluster: messages between processes over sealed sockets. */
import * as Net from "node:net"
import type * as RunnerAddress from "@effect/cluster/RunnerAddress"
import type * as RunnerHealth from "@effect/cluster/RunnerHealth"
import * as Runners from "@effect/cluster/Runners"
import { Socket } from "@effect/platform/Socket"
import * as RpcClient from "@effect/rpc/RpcClient"
import * as RpcSerialization from "@effect/rpc/RpcSerialization"
import { Effect, Layer } from "effect"
import type { Keyring } from "../wire/Keys.js"
import { connecting } from "./SealedSocket.js"

export const serialization = RpcSerialization.layerMsgPack

/** How messages get to a runner. */
export const toRunners = (keys: Keyring): Layer.Layer<Runners.RpcClientProtocol> =>
  Layer.effect(
    Runners.RpcClientProtocol,
    Effect.map(
      RpcSerialization.RpcSerialization,
      (given) => (address: RunnerAddress.RunnerAddress) =>
        RpcClient.makeProtocolSocket().pipe(
          Effect.provideService(Socket, connecting(address, keys)),
          Effect.provideService(RpcSerialization.RpcSerialization, given)
        )
    )
  ).pipe(Layer.provide(serialization))

/** One look is not enough: a port may be between two owners. */
const LOOKS = 3

const PAUSE = 150

/** Whether nothing listens at an address. Who does not answer in time may only be busy. */
const isDeserted = ({ host, port }: RunnerAddress.RunnerAddress): Effect.Effect<boolean> =>
  Effect.async<boolean>((resume) => {
    const conn = Net.createConnection({ host, port })
    const said = (deserted: boolean): void => {
      conn.destroy()
      resume(Effect.succeed(deserted))
    }
    conn.once("connect", () => said(false))
    conn.on("error", (error: NodeJS.ErrnoException) => said(error.code === "ECONNREFUSED"))
    return Effect.sync(() => void conn.destroy())
  })

/**
 * A runner whose port is closed is gone. One that does not answer is not known to be: its silence in the store counts, by
 * the clock of the store.
 */
export const health: RunnerHealth.RunnerHealth["Type"] = {
  isAlive: (address) => {
    const look = (left: number): Effect.Effect<boolean> =>
      Effect.flatMap(isDeserted(address), (deserted) => {
        if (!deserted) return Effect.succeed(true)
        return left === 1 ? Effect.succeed(false) : Effect.delay(look(left - 1), PAUSE)
      })
    return Effect.timeoutTo(look(LOOKS), {
      duration: 5000,
      onSuccess: (alive) => alive,
      onTimeout: () => true
    })
  }
}
