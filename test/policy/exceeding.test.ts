/** Threat: a proposal that exceeds what its granter holds, behind one that does not. */
import { describe, expect, it } from "vitest"
import * as Attenuation from "../../src/policy/grant/Attenuation.js"
import { authority } from "./agents.js"

const within = [
  "records.read",
  "net.get{hosts=[a.x.example]}",
  "fs.read{in=/w/p}",
  "agent.grant{id=agents/b}"
]

const beyond = [
  "records.update",
  "net.get{hosts=[y.example]}",
  "net.post{hosts=[a.x.example]}",
  "fs.read{in=/w2}"
]

const granter: Attenuation.Granter = {
  agent: "agents/a",
  authority: authority(["records.read", "net.get{hosts=[*.x.example]}", "fs.read{in=/w}", "agent.grant"])
}

const refused = (...proposed: ReadonlyArray<string>) =>
  Attenuation.exceeding(
    granter,
    "agents/b",
    proposed.map((written) => ({ written, authority: authority([written]) }))
  )?.detail

describe("of several proposals", () => {
  it("none is refused where each is within what is held", () => {
    expect(refused(...within)).toBeUndefined()
    expect(refused()).toBeUndefined()
  })

  it.each(beyond)("%s is refused wherever it stands", (one) => {
    for (let at = 0; at <= within.length; at++) {
      expect(refused(...within.slice(0, at), one, ...within.slice(at))).toContain(one)
    }
  })
})
