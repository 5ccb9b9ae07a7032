/** The made-up workspace in a folder, and a log of as many calls as are asked for, decided by the policies of that workspace. */
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import type { AuditEntry, Call, Decision } from "../../src/audit/AuditEntry.js"
import type { PageInput } from "../../src/cli/commands/audit/page/Page.js"
import { lookingAt } from "../../src/cli/commands/audit/page/WorkspaceView.js"
import type { Surroundings } from "../../src/cli/Surroundings.js"
import { authorityOf } from "../../src/cli/workspace/Acting.js"
import { settingOf } from "../../src/cli/workspace/Setting.js"
import * as Authority from "../../src/policy/lattice/Authority.js"
import * as Request from "../../src/policy/lattice/Request.js"
import type { Policy } from "../../src/policy/Policy.js"
import { permitting } from "../../src/policy/Source.js"
import { files, type Habit, samples } from "./sampleWorkspace.js"

/** The same numbers each time. */
const random = (seed: number): (() => number) => {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** When the page is made. */
const END = Date.parse("2026-11-18T16:40:00Z")

const DAY = 86_400_000

const around = (root: string): Surroundings => ({
  env: {},
  cwd: root,
  home: root,
  stdin: async () => "",
  stdout: { isTTY: false, columns: undefined },
  stderr: { isTTY: false, columns: undefined, write: () => {} },
  print: async () => {},
  complain: () => {},
  tty: undefined,
  signal: new AbortController().signal
})

interface Caller {
  readonly id: string
  readonly policy: Policy
  readonly habits: ReadonlyArray<Habit>
}

const callersIn = (root: string): ReadonlyArray<Caller> => {
  const setting = settingOf({ workdir: root }, around(root))
  return samples.map(({ habits, id }) => {
    const isAgent = id.startsWith("agents/")
    const { policy } = authorityOf(
      { agent: isAgent ? id : undefined, personality: isAgent ? undefined : id },
      setting
    )
    return { id, policy, habits }
  })
}

/** Little at night and at weekends. */
const business = (time: number): number => {
  const date = new Date(time)
  const hour = date.getUTCHours() + date.getUTCMinutes() / 60
  const day = Math.exp(-(((hour - 13) / 4.2) ** 2))
  return (date.getUTCDay() % 6 === 0 ? 0.25 : 1) * (0.06 + day)
}

const decided = (policy: Policy, line: string, shared: Omit<Call, "type" | "code" | "ms">): Decision => {
  const request = Request.parseSync(line)
  const answer = Authority.permits(policy.authority, request)
  const source = answer.allowed ? permitting(policy.sources, request) : undefined
  const asked = answer.allowed && request.capability === "secrets.read" ? line : Request.summary(request)
  return {
    ...shared,
    type: "decision",
    capability: request.capability,
    asked,
    allowed: answer.allowed,
    ...(answer.allowed
      ? { scope: answer.scope }
      : { code: answer.denial.code, reason: answer.denial.reason }),
    ...(source === undefined ? {} : { by: `${source.file}:${source.line}` })
  }
}

/** About so many calls in so many days, oldest first. */
export const sampleEntries = (root: string, calls: number, days = 9): ReadonlyArray<AuditEntry> => {
  const next = random(7)
  const callers = callersIn(root)
  const choose = <A>(all: ReadonlyArray<A>, weight: (one: A) => number): A => {
    let left = next() * all.reduce((sum, one) => sum + weight(one), 0)
    const found = all.find((one) => {
      left -= weight(one)
      return left <= 0
    })
    return found ?? (all[0] as A)
  }
  const times: Array<number> = []
  while (times.length < calls) {
    const time = END - Math.floor(next() * days * DAY)
    if (next() < business(time)) times.push(time)
  }
  const codes = ["timeout", "input_invalid", "execution_failed"] as const
  const entries: Array<AuditEntry> = []
  for (const [at, time] of times.sort((a, b) => a - b).entries()) {
    const caller = choose(callers, ({ habits }) => habits.reduce((sum, { weight }) => sum + weight, 0))
    const habit = choose(caller.habits, ({ weight }) => weight)
    const shared = {
      v: 1,
      session: `${caller.id.replace(/^.*\//, "")}-${Math.floor(time / 7_200_000).toString(36)}`,
      ...(caller.policy.agent === undefined ? {} : { agent: caller.policy.agent }),
      ...(caller.policy.personality === undefined ? {} : { personality: caller.policy.personality }),
      revision: caller.policy.revision,
      call: `call_${at.toString(36)}`,
      tool: habit.tool,
      origin: habit.origin
    } as const
    const made = habit.asks.map((group, index) =>
      decided(
        caller.policy,
        choose(group, () => 1),
        { ...shared, time: new Date(time + index).toISOString() }
      )
    )
    const isRefused = made.some(({ allowed }) => !allowed)
    const ms = Math.round(4 + 600 * next() ** 4 * (1 + next()))
    const fails = !isRefused && next() < 0.012
    entries.push(...made, {
      ...shared,
      time: new Date(time + ms).toISOString(),
      type: "call",
      code: isRefused ? "execution_failed" : fails ? choose(codes, () => 1) : "ok",
      ms
    })
  }
  return entries
}

export const writeSample = (root: string): void => {
  for (const [path, text] of Object.entries(files)) {
    const file = join(root, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
}

/** What the page of that workspace shows. The folder is real, and its path has no links. */
export const samplePage = async (root: string, entries: ReadonlyArray<AuditEntry>): Promise<PageInput> => {
  const look = await lookingAt(settingOf({ workdir: root }, around(root)), around(root))
  const view = await look?.(entries)
  if (view === undefined) throw new Error(`${root} is no workspace`)
  return {
    about: "harbour-ops",
    entries,
    generated: END,
    notes: view.notes,
    workspace: {
      ...view,
      tools: [
        ...view.tools,
        {
          name: "publish_release",
          origin: "own",
          surface: ["network: api.github.com (POST)", "secrets: GITHUB_TOKEN"],
          risk: "high"
        },
        {
          name: "mcp__github__list",
          origin: "mcp:github",
          surface: ["may GET from api.github.com"],
          risk: "medium"
        }
      ]
    }
  }
}
