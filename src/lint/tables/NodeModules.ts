/** Every module of Node, in one of three tables. What is in none and begins with `node:` counts as one that touches the world. */
import { byName, words } from "./lists.js"
import type { Remedy } from "./Remedy.js"

export const touching: ReadonlyMap<string, Remedy> = new Map(
  byName({
    files: "fs fs/promises vfs",
    process: "child_process",
    // Those with a line in front are older names of parts of http and tls, which can still be imported.
    network: `
      dgram dns dns/promises http http2 https net quic tls _http_agent _http_client _http_common _http_incoming
      _http_outgoing _http_server _tls_common _tls_wrap`,
    storage: "sqlite",
    threads: "cluster worker_threads",
    code: "ffi inspector inspector/promises repl vm wasi",
    // They know the machine, hear what the rest of the program does, or write it to the disk.
    host: "diagnostics_channel os sea trace_events v8",
    output: "tty",
    tests: "test test/reporters"
  })
)

/** With the reason why each is fine. */
export const harmless: ReadonlyMap<string, string> = new Map(
  Object.entries({
    "computes with what it is given": `
      assert assert/strict buffer constants path path/posix path/win32 punycode querystring string_decoder sys url util
      util/types zlib zlib/iter`,
    "random numbers, digests and ciphers touch nothing outside of the program": "crypto",
    "joins what its user brings along": `
      async_hooks domain events readline readline/promises stream stream/consumers stream/iter stream/promises stream/web
      _stream_duplex _stream_passthrough _stream_readable _stream_transform _stream_wrap _stream_writable`,
    "writes to the log of the program, as the global does": "console",
    "tells the time": "perf_hooks timers timers/promises"
  }).flatMap(([reason, names]) => words(names).map((name) => [name, reason] as const))
)

/** Looked at member by member: see Members. */
export const inPart: ReadonlyArray<string> = ["module", "process"]

/** Without `node:` these are packages, or nothing. */
const onlyWithPrefix = new Set(["ffi", "quic", "sea", "sqlite", "test", "test/reporters", "vfs"])

/** The name of a module of Node without `node:`; nothing for another module. */
export const nodeName = (specifier: string): string | undefined => {
  if (specifier.startsWith("node:")) return specifier.slice(5)
  if (onlyWithPrefix.has(specifier)) return undefined
  return touching.has(specifier) || harmless.has(specifier) || inPart.includes(specifier)
    ? specifier
    : undefined
}
