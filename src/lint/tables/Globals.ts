/** Globals that touch the world, and those that are looked at member by member. */
import type { Remedy } from "./Remedy.js"

/** The global object, by each of its names. */
export const roots: ReadonlySet<string> = new Set(["globalThis", "global", "window", "self", "frames"])

const lists: Partial<Record<Remedy, string>> = {
  network: `
    fetch fetchLater WebSocket WebSocketStream WebTransport EventSource XMLHttpRequest RTCPeerConnection Image Audio
    BroadcastChannel`,
  code: "eval Function execScript importScripts",
  threads: "Worker SharedWorker ServiceWorker",
  storage: "localStorage sessionStorage indexedDB caches cookieStore openDatabase",
  host: "document location Bun Deno",
  output: "alert confirm prompt"
}

export const globals: ReadonlyMap<string, Remedy> = new Map(
  Object.entries(lists).flatMap(([remedy, names]) =>
    names
      .trim()
      .split(/\s+/)
      .map((name) => [name, remedy as Remedy] as const)
  )
)
