/** Globals that touch the world, and those that are looked at member by member. */
import { byName } from "./lists.js"
import type { Remedy } from "./Remedy.js"

/** The global object, by each of its names. */
export const roots: ReadonlySet<string> = new Set(["globalThis", "global", "window", "self", "frames"])

export const globals: ReadonlyMap<string, Remedy> = new Map(
  byName({
    network: `
      fetch fetchLater WebSocket WebSocketStream WebTransport EventSource XMLHttpRequest RTCPeerConnection Image Audio
      BroadcastChannel`,
    code: "eval Function execScript importScripts",
    threads: "Worker SharedWorker ServiceWorker",
    storage: "localStorage sessionStorage indexedDB caches cookieStore openDatabase",
    host: "document location Bun Deno",
    output: "alert confirm prompt"
  })
)
