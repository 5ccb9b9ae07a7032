/**
 * Loading and compiling agent records, against parsing their YAML and nothing else. Interleaved in slices, so that both
 * share the minutes of a noisy machine.
 */
import { AgentRecord } from "bailiwick"
import { parse } from "yaml"
import { print, progress } from "./report.js"

const RECORDS = 10_000
const ROUNDS = 5

/** Ten grants each, of every family, no two records alike. */
const yamlOf = (i: number): string =>
  [
    `id: agents/agent-${i}`,
    "class: agent",
    `title: Agent ${i}`,
    "capabilities:",
    "  - records.read",
    "  - records.create",
    `  - records.update: { classes: [inbox, team-${i % 50}] }`,
    `  - agent.update: { ids: [agents/agent-${i + 1}] }`,
    `  - net.get: { hosts: ["*.service-${i}.example.com", api.example.org] }`,
    `  - net.post: { hosts: [hooks-${i % 200}.example.net] }`,
    `  - fs.read: { in: ~/work/project-${i} }`,
    `  - fs.write: { in: ~/work/project-${i}, paths: ["src/**", "docs/*.md"] }`,
    `  - proc.exec: { in: ~/work/project-${i}, cmds: [rg, jq, git] }`,
    `  - proc.exec: { in: ~/work/project-${i}, patterns: ["npm test"] }`,
    ""
  ].join("\n")

const yamls = Array.from({ length: RECORDS }, (_, i) => yamlOf(i))
const texts = yamls.map((yaml) => `---\n${yaml}---\nYou are an agent.\n`)

const places: AgentRecord.Places = { home: "/home/operator" }

const compiled = (): number =>
  texts.reduce((sum, text, i) => {
    const { held, warnings } = AgentRecord.parse(
      { file: `agents/agent-${i}.md`, id: `agents/agent-${i}`, text },
      places
    )
    if (warnings.length > 0 || held.length !== 10) throw new Error(`agent-${i} does not load as it should`)
    return sum + held.length
  }, 0)

const parsed = (): number => yamls.reduce((sum, yaml) => sum + parse(yaml).capabilities.length, 0)

const timed = (run: () => number): number => {
  const from = process.hrtime.bigint()
  if (run() !== RECORDS * 10) throw new Error("not every grant was read")
  return Number(process.hrtime.bigint() - from)
}

const median = (values: ReadonlyArray<number>): number =>
  [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN

const ours: Array<number> = []
const theirs: Array<number> = []
for (let round = 0; round < ROUNDS; round++) {
  progress(`agents: round ${round + 1} of ${ROUNDS}`)
  theirs.push(timed(parsed))
  ours.push(timed(compiled))
}

print([
  {
    work: "loading and compiling 10,000 agents of 10 grants, against parsing their YAML",
    atMost: 2,
    ratios: [median(ours) / median(theirs)]
  }
])
console.log(
  `  ${(median(ours) / 1e9).toFixed(2)} s against ${(median(theirs) / 1e9).toFixed(2)} s, medians of ${ROUNDS} rounds`
)
