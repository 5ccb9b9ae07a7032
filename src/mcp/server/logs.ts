/** What a client is told of refusals, as its level asks. Events of the transcript have no contents and no secrets. */
import type { Event } from "../../registry/Transcript.js"
import type { Notification } from "../protocol/Message.js"

const LEVELS = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"] as const

export type Level = (typeof LEVELS)[number]

export const levelOf = (word: unknown): Level | undefined => LEVELS.find((level) => level === word)

export const isHeard = (level: Level, from: Level): boolean => LEVELS.indexOf(level) >= LEVELS.indexOf(from)

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
