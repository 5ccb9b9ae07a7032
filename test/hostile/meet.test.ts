/**
 * The threat: a personality and an agent's record together allow what one of them alone does not, because what one
 * leaves to declarations the other takes for granted.
 */

import { describe, expect, it } from "@effect/vitest"
import { Either, FastCheck as fc } from "effect"
import * as AgentRecord from "../../src/policy/agent/AgentRecord.js"
import * as Floor from "../../src/policy/gate/floor/Floor.js"
import * as Authority from "../../src/policy/lattice/Authority.js"
import * as Request from "../../src/policy/lattice/Request.js"
import * as Policy from "../../src/policy/Policy.js"
import * as Personality from "../../src/policy/personality/Personality.js"
import * as Resolution from "../../src/registry/Resolution.js"
import { builtins } from "../../src/tools/builtin/index.js"
import { times } from "../deep.js"
import { agent } from "../registry/agentWorld.js"

const home = "/home/u"

const optional = <A>(arbitrary: fc.Arbitrary<A>) => fc.option(arbitrary, { nil: undefined })
const line = (key: string, value: unknown): ReadonlyArray<string> =>
  value === undefined ? [] : [`${key}: ${JSON.stringify(value)}`]

const hosts = fc.subarray(["*", "*.x.example", "x.example", "a.x.example", "y.example"], { maxLength: 2 })
const trees = fc.subarray(["/w", "/w/p", "/home/u", "/"], { maxLength: 2 })
const grant = fc.constantFrom(
  "records.read",
  "records.update{classes=[note]}",
  "records.update",
  "records.create",
  "agent.grant",
  "agent.update{ids=[agents/a]}",
  "provider.code_execution"
)

const personality = fc
  .record({
    toolset: optional(fc.subarray(["read_file", "web_fetch", "run_command", "kv_set", "update_record"])),
    plugins: optional(fc.subarray(["p", "q"])),
    mcp: optional(fc.subarray(["gh", "db"])),
    read: trees,
    write: trees,
    allow: hosts,
    deny: hosts,
    process: optional(fc.subarray(["git", "rg", "*"])),
    secrets: optional(fc.subarray(["KEY", "a/*"])),
    storage: optional(fc.subarray(["session", "personality", "tool-private"])),
    attachments: optional(fc.subarray(["image", "file"])),
    grants: optional(fc.array(grant, { maxLength: 3 }))
  })
  .map((given) =>
    [
      "id: p",
      ...line("toolset", given.toolset),
      ...line("plugins", given.plugins),
      ...line("mcp_servers", given.mcp),
      ...line("fs_reach", { read: given.read, write: given.write }),
      ...line("safety", { network: { allow: given.allow, deny: given.deny } }),
      ...line("process", given.process && { allow: given.process }),
      ...line("secrets", given.secrets && { allow: given.secrets }),
      ...line("storage", given.storage && { scopes: given.storage }),
      ...line("attachments", given.attachments && { kinds: given.attachments }),
      ...line("grants", given.grants)
    ].join("\n")
  )

const root = fc.constantFrom("~", "/w", "/w/p", "/")
const spec = fc.oneof(
  grant,
  hosts.map((all) => `net.get{hosts=[${all.join(",")}]}`),
  root.map((at) => `fs.read{in=${at}}`),
  root.map((at) => `fs.write{in=${at}}`),
  root.map((at) => `proc.exec{in=${at},cmds=[git,rg]}`),
  root.map((at) => `proc.exec{in=${at}}`),
  root.map((at) => `proc.eval{in=${at}}`)
)
const record = fc
  .record({ grants: fc.array(spec, { maxLength: 5 }), sandbox: optional(root) })
  .map(({ grants, sandbox }) =>
    agent([...line("capabilities", grants), ...line("sandbox", sandbox)].join("\n"))
  )

const requests: ReadonlyArray<Request.Request> = [
  ...["x.example", "a.x.example", "y.example", "z.example"].flatMap((host) => [
    Request.http("GET", `https://${host}/`),
    Request.http("POST", `https://${host}/`)
  ]),
  ...["/w/f", "/w/p/f", "/home/u/f", "/etc/f"].flatMap((path) => [
    Request.file("read", path),
    Request.file("write", path),
    Request.file("delete", path)
  ]),
  ...["/w", "/w/p", "/home/u", "/etc"].flatMap((cwd) => [
    Request.exec(["git", "log"], cwd),
    Request.exec(["sh", "-c", "x"], cwd),
    Request.shell(cwd)
  ]),
  Request.secret("KEY"),
  Request.secret("a/b"),
  ...(["session", "personality", "tool-private"] as const).map((scope) => Request.storage(scope)),
  ...(["image", "file", "audio"] as const).map((kind) => Request.attachment(kind)),
  ...(["read", "create", "update", "delete"] as const).flatMap((verb) => [
    Request.record(verb, "notes/a", "note"),
    Request.record(verb, "notes/a", "inbox")
  ]),
  ...(["create", "update", "delete", "grant"] as const).flatMap((verb) => [
    Request.agent(verb, "agents/a"),
    Request.agent(verb, "agents/b")
  ]),
  Request.provider("code_execution")
].map((made: Request.Made) => Either.getOrThrowWith(made, (error) => new Error(error.message)))

type Asks = (request: Request.Request) => boolean

const asksOf = (policy: Policy.Policy, tool: (typeof builtins)[number]): Asks =>
  Either.match(Resolution.authority(policy, tool.capabilities, { home }), {
    onLeft: () => () => false,
    onRight: (authority) => (request) =>
      Authority.permits(authority, request).allowed && Floor.forbids(policy.floor, request) === undefined
  })

const tools = builtins.filter(
  ({ name }, at) =>
    builtins.findIndex(
      (one) => JSON.stringify(one.capabilities) === JSON.stringify(builtins[at]?.capabilities)
    ) === at || name === "read_file"
)

describe("a personality and an agent together", () => {
  it("allow a tool nothing that one of them does not allow it, and pass on nothing that one of them does not hold", () => {
    let allowedAtAll = 0
    fc.assert(
      fc.property(personality, record, (config, text) => {
        const first = Personality.policy(
          Either.getOrThrowWith(
            Personality.parse({ config: { file: "config.yaml", text: config } }, { home, workdir: "/w" }),
            (error) => new Error(error.message)
          )
        )
        const second = AgentRecord.policy(AgentRecord.parse({ file: "a.md", id: "agents/a", text }, { home }))
        for (const met of [Policy.meet(first, second), Policy.meet(second, first)]) {
          expect(met.agent).toBe("agents/a")
          for (const part of [first, second]) {
            expect(Authority.within(met.authority, part.authority)).toBe(true)
            for (const name of ["read_file", "mcp__gh__x", "mcp__db__y", "mcp__", "web_fetch"]) {
              for (const plugin of [undefined, "p", "q", "r"]) {
                for (const server of [undefined, "gh", "db"]) {
                  const tool = { name, plugin, server }
                  if (Policy.offers(met, tool)) expect(Policy.offers(part, tool)).toBe(true)
                }
              }
            }
            for (const tool of tools) {
              const [together, alone] = [asksOf(met, tool), asksOf(part, tool)]
              for (const request of requests) {
                if (!together(request)) continue
                allowedAtAll++
                if (!alone(request)) {
                  throw new Error(`${tool.name}: ${Request.summary(request)}\n${config}\n${text}`)
                }
              }
            }
          }
        }
      }),
      { numRuns: times(20) }
    )
    expect(allowedAtAll).toBeGreaterThan(times(20))
  })
})
