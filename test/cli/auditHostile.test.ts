/** The threat: a log is strangers' text. It may lie about itself, be larger than memory, and speak to the terminal. */
import { appendFileSync, closeSync, openSync, writeSync } from "node:fs"
import { FastCheck as fc } from "effect"
import { describe, expect, it } from "vitest"
import { codePoint } from "../codePoints.js"
import { times } from "../deep.js"
import { at, call, decision, gap, LOG, logged, refusal } from "./auditLog.js"
import type { Folder } from "./workspace.js"

/** What a terminal obeys, turns around or does not show. */
const UNSEEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that there are none is the point
  /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/u

const ATTACK = "\u001b]0;owned\u0007\u001b[2J\u009b31m\u202e\u2066\r\n\u200b\ud800\u{e0041}x"

const everyway = async (folder: Folder): Promise<ReadonlyArray<string>> => {
  const outputs: Array<string> = []
  for (const args of [["audit"], ["audit", "--all"], ["audit", "--json"]]) {
    for (const isTTY of [true, false]) {
      const { code, stderr, stdout } = await folder.bailiwick(args, {
        isTTY,
        columns: 100,
        env: { NO_COLOR: "1" }
      })
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
      outputs.push(stdout)
    }
  }
  return outputs
}

describe("a log of strangers", () => {
  it("has no field that reaches the terminal raw", async () => {
    const fields = {
      session: ATTACK,
      agent: ATTACK,
      revision: ATTACK,
      call: ATTACK,
      tool: ATTACK,
      origin: ATTACK
    }
    const folder = logged([
      decision({
        ...fields,
        capability: `network.${ATTACK}`,
        asked: `GET https://${ATTACK}/`,
        by: ATTACK,
        scope: ATTACK
      }),
      refusal({ ...fields, capability: `files.${ATTACK}`, asked: `read ${ATTACK}` }),
      refusal({ ...fields, capability: "process.exec", asked: `exec ${JSON.stringify(ATTACK)}` }),
      call(fields),
      call({ ...fields, agent: undefined, personality: ATTACK, time: ATTACK }),
      gap({ why: ATTACK })
    ])
    for (const output of await everyway(folder)) {
      expect(output).not.toMatch(UNSEEN)
      expect(output).toContain("u001b")
    }
  })

  it("is shown whatever texts it has, and as JSON it says what it said", async () => {
    const text = fc.string({ unit: codePoint, maxLength: 12 })
    await fc.assert(
      fc.asyncProperty(text, text, text, async (tool, asked, id) => {
        const folder = logged([
          decision({ tool, call: id, asked, agent: asked }),
          call({ tool, call: id, agent: asked })
        ])
        const outputs = await everyway(folder)
        for (const output of outputs) expect(output).not.toMatch(UNSEEN)
        const { calls, entries } = JSON.parse(outputs[4] ?? "")
        expect(entries).toMatchObject([{ tool, call: id, asked, agent: asked }])
        expect(calls).toMatchObject([{ tool, call: id, agent: asked }])
      }),
      { numRuns: times(30) }
    )
  })

  it("has keys and names that objects have, and they are names", async () => {
    const folder = logged([
      `{"__proto__":{"allowed":true},"constructor":1,${JSON.stringify(refusal({ tool: "__proto__", agent: "toString", call: "constructor" })).slice(1)}`,
      JSON.stringify(call({ tool: "__proto__", agent: "toString", call: "constructor" })),
      refusal({ asked: "GET https://__proto__/", call: "valueOf", session: "__proto__" })
    ])
    const { stdout } = await folder.bailiwick(["audit", "--json"])
    const { calls, entries, summary } = JSON.parse(stdout)
    expect(entries).toHaveLength(2)
    expect(entries[0]).toMatchObject({ tool: "__proto__", allowed: false })
    expect(Object.keys(entries[0])).not.toContain("constructor")
    expect(calls).toMatchObject([{ tool: "__proto__", code: "ok" }])
    expect(summary.hosts).toContainEqual({ name: "__proto__", asked: 1, refused: 1 })
    const only = await folder.bailiwick(["audit", "--agent", "toString", "--json"])
    expect(JSON.parse(only.stdout).entries).toHaveLength(1)
    const none = await folder.bailiwick(["audit", "--agent", "hasOwnProperty"])
    expect(none.stdout).toContain("nothing of the agent 'hasOwnProperty'")
  })

  it("leaves out what is no entry, and says how much of what kind", async () => {
    const folder = logged([
      decision(),
      { ...call(), v: 2, more: "of a later version" },
      { ...call(), v: 99, type: "unheard of" },
      "no JSON at all",
      "[]",
      "null",
      { ...call(), code: "fine" },
      { ...decision(), allowed: "yes" },
      call()
    ])
    appendFileSync(folder.path(LOG), Buffer.from([0xff, 0xfe, 0x80, 10, 0xc3, 0x28, 10]))
    const { stdout } = await folder.bailiwick(["audit"])
    expect(stdout).toContain("1 call (1 ok), 1 decision, 0 refused")
    expect(stdout).toContain("2026-01-30.jsonl:2: 2 entries are of another version")
    expect(stdout).toContain("2026-01-30.jsonl:4: 7 lines are no entries of an audit log")
    const { summary } = JSON.parse((await folder.bailiwick(["audit", "--json"])).stdout)
    expect(summary.leftOut).toMatchObject([
      { kind: "version", line: 2, count: 2 },
      { kind: "foreign", line: 4, count: 7 }
    ])
  })

  it("may have times that go back, are none, or are far away", async () => {
    const folder = logged([
      call({ call: "1", time: at(50) }),
      call({ call: "2", time: at(10) }),
      call({ call: "3", time: "+275760-09-13T00:00:00.000Z" }),
      call({ call: "4", time: "0000-01-01T00:00:00.000Z" })
    ])
    const { stdout } = await folder.bailiwick(["audit", "--json"])
    expect(JSON.parse(stdout).calls.map(({ call }: { call: string }) => call)).toEqual(["1", "2", "3", "4"])
    expect(await everyway(folder)).toHaveLength(6)
  })

  it("may have durations that none are", async () => {
    const folder = logged([-1, 1e308, 0.001, 5e-324, 99_999_999].map((ms) => call({ ms })))
    for (const output of await everyway(folder)) {
      for (const line of output.split("\n").slice(0, -1)) expect(line.length).toBeLessThan(1000)
    }
  })

  it("may have a line that is longer than any entry, before and behind others", async () => {
    const folder = logged([decision(), call()])
    const file = openSync(folder.path(LOG), "a")
    const piece = Buffer.alloc(1024 * 1024, "x")
    writeSync(file, '{"v":1,"type":"decision","asked":"')
    for (let n = 0; n < 64; n++) writeSync(file, piece)
    writeSync(file, `"}\n${JSON.stringify(call({ call: "2" }))}\n`)
    closeSync(file)
    const { stdout } = await folder.bailiwick(["audit"])
    expect(stdout).toContain("2 calls (2 ok), 1 decision")
    expect(stdout).toContain("2026-01-30.jsonl:3: a line is longer than any entry")
  })

  it("may have more hosts than anybody counts, and more decisions in a call than anybody reads", async () => {
    const many = 30_000
    const folder = logged([
      ...Array.from({ length: many }, (_, n) => decision({ asked: `GET https://h${n}.example/` })),
      ...Array.from({ length: 50 }, () => decision({ asked: "GET https://often.example/" })),
      call()
    ])
    const { stdout } = await folder.bailiwick(["audit"])
    expect(stdout).toContain(`1 call (1 ok), ${many + 50} decisions`)
    expect(stdout).toContain("hosts     often.example at least 50, ")
    expect(stdout).toMatch(/and \d+ more decisions of this call/)
    expect(stdout.length).toBeLessThan(10_000)
  })

  it("may be long: a terminal sees that it is read, and a pipe sees nothing of that", async () => {
    const folder = logged(Array.from({ length: 120_000 }, () => call()))
    const seen = await folder.bailiwick(["audit"], { stderrIsTTY: true, columns: 80 })
    expect(seen.stderr).toContain("audit: reading the log (1")
    expect(seen.stderr.endsWith("\r\u001b[K")).toBe(true)
    expect(await folder.bailiwick(["audit"], { columns: 80 })).toEqual({ ...seen, stderr: "" })
  })

  it("may have calls that never end, and the rest is shown all the same", async () => {
    const folder = logged([
      ...Array.from({ length: 5000 }, (_, n) => refusal({ call: `open${n}`, time: at(n) })),
      call({ time: at(5000) })
    ])
    const { stdout } = await folder.bailiwick(["audit", "--all"])
    expect(stdout.match(/no end yet/g)).toHaveLength(5000)
    expect(stdout).toContain("1 call (1 ok), 5000 decisions, 5000 refused")
  })
})
