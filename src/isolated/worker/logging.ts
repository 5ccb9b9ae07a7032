/** What a tool logs is logged by its host, as it is in one process: in the name of its call, and scrubbed there. */
import { Cause, FiberId, FiberRef, FiberRefs, HashMap, HashSet, Logger, LogLevel } from "effect"
import { prettyCause } from "../../policy/text/PrettyCause.js"
import { type Inherited, plain } from "../../registry/execution/Elsewhere.js"
import type { Message } from "../protocol/Frames.js"

/** What a tool logs, or ends with, may break whoever looks at it. */
const shown = (look: () => unknown): unknown => {
  try {
    return look()
  } catch {
    return "[something that cannot be written down]"
  }
}

const data = (value: unknown): unknown =>
  shown(() => (value instanceof Error ? (value.stack ?? value.message) : plain(value)))

/** Under what a call is known in its Context. No tag has this key. */
export const CALL = "bailiwick/isolated/call"

const loggerOf = (send: (message: Message) => void): Logger.Logger<unknown, void> =>
  Logger.make(({ annotations, cause, context, logLevel, message }) => {
    const id = FiberRefs.getOrDefault(context, FiberRef.currentContext).unsafeMap.get(CALL)
    if (typeof id !== "number") return
    const words = Array.isArray(message) ? message : [message]
    const value = {
      level: logLevel._tag,
      message: [...words.map(data), ...(Cause.isEmpty(cause) ? [] : [shown(() => prettyCause(cause))])],
      annotations: Object.fromEntries([...HashMap.entries(annotations)].map(([key, one]) => [key, data(one)]))
    }
    try {
      send({ t: "log", id, value })
    } catch {
      // What cannot be carried is not logged.
    }
  })

const from = <A>(ref: FiberRef.FiberRef<A>, value: A): Inherited[number] => [
  ref as FiberRef.FiberRef<unknown>,
  [[FiberId.none, value]]
]

/** What all calls begin with: which levels are shown, the host says. */
export const inheritedBy = (send: (message: Message) => void): Inherited => [
  from(FiberRef.currentLoggers, HashSet.make(loggerOf(send))),
  from(FiberRef.currentMinimumLogLevel, LogLevel.All)
]
