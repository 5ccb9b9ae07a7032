/** Logs as they would be written, made by hand: nothing here depends on who writes them. */
import type { Call, Decision, Gap } from "../../src/audit/AuditEntry.js"
import { Folder } from "./workspace.js"

type Over<A> = { readonly [K in keyof A]?: A[K] | undefined }

/** As JSON has it: what is undefined is not there. */
const written = <A>(entry: object): A => JSON.parse(JSON.stringify(entry))

const who = { v: 1, session: "s1", agent: "agents/scout", revision: "r1", origin: "host" } as const

/** Seconds after ten o'clock. */
export const at = (seconds: number): string => new Date(Date.UTC(2026, 0, 30, 10, 0, seconds)).toISOString()

export const decision = (over: Over<Decision> = {}): Decision =>
  written({
    ...who,
    type: "decision",
    time: at(0),
    call: "1",
    tool: "web_fetch",
    capability: "network.get",
    asked: "GET https://api.github.com/meta",
    allowed: true,
    scope: "*.github.com",
    by: "records/agents/scout.md:7",
    ...over
  })

export const refusal = (over: Over<Decision> = {}): Decision => {
  const { by: _by, scope: _scope, ...rest } = decision()
  return written({
    ...rest,
    asked: "GET https://example.com/",
    allowed: false,
    code: "HOST_NOT_ALLOWED",
    reason: "scope_violation",
    ...over
  })
}

export const call = (over: Over<Call> = {}): Call =>
  written({
    ...who,
    type: "call",
    time: at(0),
    call: "1",
    tool: "web_fetch",
    code: "ok",
    ms: 12,
    ...over
  })

export const gap = (over: Partial<Gap> = {}): Gap => ({
  v: 1,
  type: "gap",
  time: at(0),
  lost: 3,
  why: "the disk was full",
  ...over
})

/** Objects are written as JSON; a text as it is. */
export const lines = (entries: ReadonlyArray<object | string>): string =>
  entries.map((entry) => `${typeof entry === "string" ? entry : JSON.stringify(entry)}\n`).join("")

export const LOG = ".bailiwick/audit/2026-01-30.jsonl"

export const logged = (entries: ReadonlyArray<object | string>): Folder =>
  new Folder({ "bailiwick.yaml": "", [LOG]: lines(entries) })

/** One agent that is allowed and refused, another, a personality, and a gap. */
export const someWork: ReadonlyArray<object> = [
  decision(),
  call(),
  refusal({ time: at(2), call: "2" }),
  call({ time: at(2), call: "2", code: "execution_failed", ms: 3 }),
  decision({
    time: at(60),
    call: "3",
    session: "s2",
    agent: "agents/keeper",
    tool: "write_file",
    capability: "files.write",
    asked: 'write "/work/a b.md"',
    by: "records/agents/keeper.md:4"
  }),
  call({ time: at(61), call: "3", session: "s2", agent: "agents/keeper", tool: "write_file", ms: 1500 }),
  gap({ time: at(70) }),
  decision({
    time: at(7200),
    call: "4",
    session: "s3",
    agent: undefined,
    personality: "helper",
    tool: "run_command",
    capability: "process.exec",
    asked: "exec git with 2 arguments in /work",
    by: "personalities/helper/config.yaml:4"
  }),
  call({
    time: at(7201),
    call: "4",
    session: "s3",
    agent: undefined,
    personality: "helper",
    tool: "run_command",
    code: "timeout",
    ms: 60_000
  })
]
