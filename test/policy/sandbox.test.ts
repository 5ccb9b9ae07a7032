/** Whether children must be held, and their limits: as written in a workspace and in a personality, and what holds of both. */
import { FastCheck as fc } from "effect"
import { describe, expect, it } from "vitest"
import * as AgentRecord from "../../src/policy/agent/AgentRecord.js"
import * as Authority from "../../src/policy/lattice/Authority.js"
import * as Policy from "../../src/policy/Policy.js"
import * as Personality from "../../src/policy/personality/Personality.js"
import * as Sandbox from "../../src/policy/Sandbox.js"
import { times } from "../deep.js"
import { places, read, refused } from "./personalities.js"

const settingsOf = (written: string, sandbox?: Sandbox.Given): Sandbox.Settings =>
  Policy.sandboxOf(Personality.policy(read(`id: p\nsandbox: ${written}`, undefined, { ...places, sandbox })))

const settings: fc.Arbitrary<Sandbox.Settings> = fc.record({
  mode: fc.option(fc.constantFrom(...Sandbox.modes), { nil: undefined }),
  limits: fc
    .array(fc.tuple(fc.constantFrom(...Sandbox.limitNames), fc.integer({ min: 1, max: 9 })))
    .map((pairs) => Object.fromEntries(pairs))
})

describe("the key of a personality", () => {
  it.each([
    ["required", { mode: "required", limits: {} }],
    ["{ mode: preferred }", { mode: "preferred", limits: {} }],
    ["{}", { mode: undefined, limits: {} }],
    ["{ limits: {} }", { mode: undefined, limits: {} }],
    [
      "{ limits: { processes: 64, open_files: 256, seconds: 30, connections: 4 } }",
      { mode: undefined, limits: { processes: 64, openFiles: 256, seconds: 30, connections: 4 } }
    ],
    [
      "{ limits: { file_size: 512MiB, memory: 2GiB, tmp_size: 64KiB, network_bytes: 10MB } }",
      {
        mode: undefined,
        limits: {
          fileBytes: 512 * 1024 ** 2,
          memoryBytes: 2 * 1024 ** 3,
          tmpBytes: 64 * 1024,
          networkBytes: 10_000_000
        }
      }
    ],
    ["{ limits: { memory: 4096 } }", { mode: undefined, limits: { memoryBytes: 4096 } }],
    ["{ limits: { memory: '4096 B' } }", { mode: undefined, limits: { memoryBytes: 4096 } }]
  ])("reads %s", (written, expected) => {
    expect(settingsOf(written)).toEqual(expected)
  })

  it.each([
    ["{ mod: off }", "KEY_UNKNOWN", "write 'mode'"],
    ["{ root: /w }", "KEY_UNKNOWN", "the keys are 'mode', 'limits'"],
    ["{ limits: { process: 4 } }", "KEY_UNKNOWN", "write 'processes'"],
    ["{ limits: { openFiles: 4 } }", "KEY_UNKNOWN", "write 'open_files'"],
    ["{ limits: { toString: 4 } }", "KEY_UNKNOWN", "the keys are"],
    ["{ limits: 4 }", "VALUE_INVALID", "where a mapping belongs"],
    ["{ mode: none }", "VALUE_INVALID", "write one of 'required', 'preferred', 'off'"],
    ["{ mode: }", "VALUE_INVALID", "where a string belongs"],
    ["{ limits: { processes: 0 } }", "VALUE_INVALID", "a whole number above 0"],
    ["{ limits: { processes: -1 } }", "VALUE_INVALID", "a whole number above 0"],
    ["{ limits: { processes: 1.5 } }", "VALUE_INVALID", "a whole number above 0"],
    ["{ limits: { processes: .inf } }", "VALUE_INVALID", "a whole number above 0"],
    ["{ limits: { processes: .nan } }", "VALUE_INVALID", "a whole number above 0"],
    ["{ limits: { processes: '64' } }", "VALUE_INVALID", "a whole number above 0"],
    ["{ limits: { processes: }}", "VALUE_INVALID", "is empty"],
    ["{ limits: { seconds: 5m } }", "VALUE_INVALID", "a whole number above 0"],
    ["{ limits: { memory: 512M } }", "VALUE_INVALID", "as in '512MiB'"],
    ["{ limits: { memory: 512mib } }", "VALUE_INVALID", "as in '512MiB'"],
    ["{ limits: { memory: 0MiB } }", "VALUE_INVALID", "as in '512MiB'"],
    ["{ limits: { memory: 1.5GiB } }", "VALUE_INVALID", "as in '512MiB'"],
    ["{ limits: { memory: 999999999TiB } }", "VALUE_INVALID", "as in '512MiB'"],
    ["{ limits: { memory: [1] } }", "VALUE_INVALID", "is a list"]
  ])("refuses %s with its line", (written, code, words) => {
    const said = refused(`id: p\nsandbox: ${written}`)
    expect([said.code, said.line]).toEqual([code, 2])
    expect(said.message).toContain(words)
  })
})

describe("two who say how children are held", () => {
  it("get the strictest mode and the lower of every limit, whoever says it", () => {
    const both = settingsOf("{ mode: off, limits: { processes: 4, seconds: 9 } }", {
      mode: "required",
      limits: { processes: 8, memoryBytes: 1 }
    })
    expect(both).toEqual({ mode: "required", limits: { processes: 4, seconds: 9, memoryBytes: 1 } })
  })

  it("meet as in a lattice, and never get more than either said", () => {
    fc.assert(
      fc.property(settings, settings, settings, (a, b, c) => {
        expect(Sandbox.meet(a, b)).toEqual(Sandbox.meet(b, a))
        expect(Sandbox.meet(a, a)).toEqual(Sandbox.meet(a, Sandbox.unwritten))
        expect(Sandbox.meet(Sandbox.meet(a, b), c)).toEqual(Sandbox.meet(a, Sandbox.meet(b, c)))
        const met = Sandbox.meet(a, b)
        for (const name of Sandbox.limitNames) {
          for (const one of [a, b]) {
            expect(met.limits[name] ?? 0).toBeLessThanOrEqual(one.limits[name] ?? Number.POSITIVE_INFINITY)
          }
        }
        for (const { mode } of [a, b]) {
          if (mode !== undefined) {
            expect(Sandbox.modes.indexOf(met.mode ?? "off")).toBeLessThanOrEqual(Sandbox.modes.indexOf(mode))
          }
        }
      }),
      { numRuns: times(200) }
    )
  })

  it("hold so for policies that meet", () => {
    fc.assert(
      fc.property(settings, settings, (a, b) => {
        const of = (sandbox: Sandbox.Settings) => Policy.make({ authority: Authority.nothing, sandbox })
        expect(Policy.sandboxOf(Policy.meet(of(a), of(b)))).toEqual(Sandbox.meet(a, b))
      }),
      { numRuns: times(100) }
    )
  })
})

describe("a policy", () => {
  const revision = (sandbox?: Sandbox.Given) =>
    Policy.make({ authority: Authority.nothing, sandbox }).revision

  it("is another one with another mode or another limit, however that is written", () => {
    expect(revision("off")).not.toBe(revision())
    expect(revision({ limits: { processes: 4 } })).not.toBe(revision())
    expect(revision({ limits: { processes: 4 } })).not.toBe(revision({ limits: { processes: 5 } }))
    expect(revision({ mode: "off" })).toBe(revision("off"))
    expect(revision({ limits: { seconds: 1, processes: 4 } })).toBe(
      revision({ limits: { processes: 4, seconds: 1 } })
    )
  })

  it("takes no limit that would bound nothing", () => {
    for (const processes of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => revision({ limits: { processes } })).toThrow(
        /the limit 'processes' of a sandbox is .*; write a whole number/
      )
    }
  })

  it("of an agent has what its workspace says, and the record only its root", () => {
    const text = "---\nclass: agent\nsandbox: off\n---\n"
    const record = AgentRecord.parse({ file: "a.md", text }, { home: "/home/u" })
    expect(record.warnings).toMatchObject([
      {
        code: "VALUE_INVALID",
        detail: "'sandbox' is a mode, 'off', and in a record it must be a string path",
        remedy: expect.stringContaining("bailiwick.yaml")
      }
    ])
    expect(Authority.isNothing(record.authority)).toBe(true)
    const policy = AgentRecord.policy(record, { sandbox: { mode: "required", limits: { processes: 4 } } })
    expect(Policy.sandboxOf(policy)).toEqual({ mode: "required", limits: { processes: 4 } })
  })

  it("of a personality alone or with an agent has the limits of both", () => {
    const personality = Personality.policy(
      read("id: p\nsandbox: { mode: preferred, limits: { seconds: 5 } }")
    )
    const agent = AgentRecord.policy(
      AgentRecord.parse({ file: "a.md", text: "---\nclass: agent\n---\n" }, {}),
      { sandbox: { limits: { seconds: 3, processes: 2 } } }
    )
    expect(Policy.sandboxOf(Policy.meet(personality, agent))).toEqual({
      mode: "preferred",
      limits: { seconds: 3, processes: 2 }
    })
  })
})
