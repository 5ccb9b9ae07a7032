/** What a client is told beside answers: of refusals and, where that is wished, what tools log. */
import { FiberRefs, HashMap, Logger, type LogLevel } from "effect"
import { currentCall, idOf } from "../../policy/gate/Call.js"
import type { Event } from "../../registry/Transcript.js"
import type { Notification } from "../protocol/Message.js"

const LEVELS = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"] as const

export type Level = (typeof LEVELS)[number]

export const levelOf = (word: unknown): Level | undefined => LEVELS.find((level) => level === word)

export const isHeard = (level: Level, from: Level): boolean => LEVELS.indexOf(level) >= LEVELS.indexOf(from)

/** Events of the transcript have no contents and no secrets. */
export const refusalLog = ({
  asked,
  capability,
  code,
  detail,
  reason,
  remedy,
  tool
}: Event): Notification => ({
  jsonrpc: "2.0",
  method: "notifications/message",
  params: {
    level: "warning",
    logger: "bailiwick",
    data: { refused: asked, tool, capability, code, reason, detail, remedy }
  }
})

const levels: Readonly<Record<LogLevel.LogLevel["_tag"], Level>> = {
  All: "debug",
  Trace: "debug",
  Debug: "debug",
  Info: "info",
  Warning: "warning",
  Error: "error",
  Fatal: "critical",
  None: "debug"
}

/** Decisions are logged where they are made, in the midst of a tool; of them the transcript tells. */
const isDecision = (annotations: HashMap.HashMap<string, unknown>): boolean =>
  HashMap.has(annotations, "capability") && HashMap.has(annotations, "asked")

const worded = (message: unknown): string =>
  (Array.isArray(message) ? message : [message])
    .map((one) => (typeof one === "string" ? one : (JSON.stringify(one) ?? "")))
    .join(" ")

/** The words that tools log, and nothing of where they stood. The registry has taken the secrets out of them. */
export const toolLogger = (
  tell: (call: string, level: Level, message: Notification) => void
): Logger.Logger<unknown, void> =>
  Logger.make(({ annotations, context, logLevel, message }) => {
    const call = idOf(FiberRefs.getOrDefault(context, currentCall))
    if (call === undefined || isDecision(annotations)) return
    const level = levels[logLevel._tag]
    tell(call, level, {
      jsonrpc: "2.0",
      method: "notifications/message",
      params: { level, logger: "tool", data: worded(message) }
    })
  })
