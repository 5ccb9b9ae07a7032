import { useEffect, useMemo, useRef, useState } from "preact/hooks"
import { decoded } from "./log/EncodedLog.js"
import type { Entry } from "./log/Entry.js"
import type { Log } from "./log/Log.js"
import { writerTo } from "./log/Writer.js"
import type { PageData } from "./PageData.js"

const MOST_ROWS = 700_000

export type Connection = "none" | "open" | "lost"

export interface Followed {
  readonly log: Log
  /** Grows with what is added. */
  readonly version: number
  readonly connection: Connection
}

/** The log of the file; where it is served, with what is added to it. */
export const useLog = ({ live, log: given }: PageData): Followed => {
  const log = useMemo(() => decoded(given), [given])
  const [version, setVersion] = useState(0)
  const [connection, setConnection] = useState<Connection>(live === undefined ? "none" : "open")
  const write = useRef<((entry: Entry) => void) | undefined>(undefined)
  useEffect(() => {
    if (live === undefined) return
    // Relative to the page, whose address has the token.
    const source = new EventSource(`events?after=${live.after}`)
    source.onopen = () => setConnection("open")
    source.onerror = () => setConnection("lost")
    source.addEventListener("entries", ({ data }) => {
      write.current ??= writerTo(log)
      for (const entry of JSON.parse(data) as ReadonlyArray<Entry>) write.current(entry)
      // A page that is open for weeks begins anew, with what its server has then.
      if (log.decisions.time.length + log.calls.time.length > MOST_ROWS) location.reload()
      setVersion((before) => before + 1)
    })
    // The server does not have all that was missed.
    source.addEventListener("reload", () => location.reload())
    source.addEventListener("end", () => {
      source.close()
      setConnection("lost")
    })
    return () => source.close()
  }, [live, log])
  return { log, version, connection }
}
