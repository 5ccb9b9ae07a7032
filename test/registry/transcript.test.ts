/** The decisions of a turn: kept in order, up to a bound, and told to whoever listens. */
import { describe, expect, it } from "vitest"
import { Transcript } from "../../src/registry/Transcript.js"

const event = (asked: string) => ({
  session: "s",
  revision: "r",
  tool: "t",
  capability: "files.read",
  asked,
  allowed: true
})

describe("a transcript", () => {
  it("tells who listens of every event from then on, until they stop", () => {
    const transcript = new Transcript()
    const heard: Array<string> = []
    transcript.add(event("read /before"))
    const stop = transcript.listen(({ asked, sequence }) => heard.push(`${sequence} ${asked}`))
    transcript.add(event("read /a"))
    stop()
    transcript.add(event("read /after"))
    expect(heard).toEqual(["1 read /a"])
  })

  it("keeps the newest, oldest first, and counts what it dropped", () => {
    const transcript = new Transcript()
    let added = 0
    for (; transcript.dropped < 3; added++) transcript.add(event(`read /${added}`))
    const { events } = transcript
    expect(events.length).toBe(added - 3)
    expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, i) => i + 3))
  })
})
