/**
 * A second look at the files of operators: names that nobody understands, entries that give nothing, entries that
 * give more than was meant, and what is missing on the machine to hold them. The doctor is pure and forbids nothing:
 * a mistake in a file grants nothing anyway.
 *
 * @since 0.1.0
 */
import { declarations } from "./declarations.js"
import { escalation } from "./escalation.js"
import { floor } from "./floor.js"
import { grants, inertGrants } from "./grants.js"
import { type CheckName, checks, type Finding, type Input, type Report } from "./Model.js"
import { mootGrants } from "./moot.js"
import { personalities, wideOpen } from "./personalities.js"
import { providers } from "./providers.js"
import { records } from "./records.js"
import { sandbox } from "./sandbox.js"
import { secrets } from "./secrets.js"
import { servers } from "./servers.js"
import { skills } from "./skills.js"
import { storage } from "./storage.js"
import type { Check } from "./subjects.js"
import { idleTools } from "./tools.js"
import { toolsets } from "./toolsets.js"

export {
  type Audited,
  type CheckName,
  checks,
  type Finding,
  type FindingCode,
  findingCodes,
  type Input,
  type Passed,
  type PersonalityFile,
  type Platform,
  type Report,
  type Server,
  type Severity,
  type Skills,
  type Stored,
  type Unreadable,
  type Workspace
} from "./Model.js"
export { refsOf as secretRefs } from "./secrets.js"

const all: { readonly [N in CheckName]: Check } = {
  records,
  grants,
  "inert grants": inertGrants,
  "moot grants": mootGrants,
  escalation,
  floor,
  providers,
  "mcp servers": servers,
  skills,
  personalities,
  "wide open": wideOpen,
  toolsets,
  tools: idleTools,
  declarations,
  secrets,
  storage,
  sandbox
}

const order = (a: Finding, b: Finding): number => {
  if (a.severity !== b.severity) return a.severity === "failure" ? -1 : 1
  const [of, than] = [a.file ?? "", b.file ?? ""]
  return of === than ? (a.line ?? 0) - (b.line ?? 0) : of < than ? -1 : 1
}

/**
 * Runs every check. The report lists the findings, failures first, each with its file, its line and its remedy; and
 * the checks that found nothing.
 *
 * @example
 * ```ts
 * import { AgentRecord, Doctor, Registry } from "bailiwick"
 *
 * const text = "---\nclass: agent\ncapabilities: [net.get]\n---\nYou watch releases.\n"
 * const scout = AgentRecord.parse({ id: "agents/scout", file: "scout.md", text }, {})
 * const { findings } = Doctor.examine({
 *   agents: [scout],
 *   personalities: [],
 *   tools: Registry.make(),
 *   platform: { platform: "linux", holding: { held: true } }
 * })
 * for (const { code, line, remedy } of findings) console.log(`${code} in line ${line}: ${remedy}`)
 * ```
 *
 * ```text output
 * GRANT_INERT in line 3: write 'net.get{hosts=[api.example.com]}', or "*" for any host
 * ```
 *
 * @since 0.1.0
 * @category examining
 */
export const examine = (input: Input): Report => {
  const looked = checks.map((name) => ({
    name,
    findings: all[name].findings(input),
    passed: all[name].passed(input)
  }))
  return {
    findings: looked.flatMap(({ findings }) => findings).sort(order),
    passed: looked.flatMap(({ findings, name, passed }) =>
      findings.length > 0 || passed === undefined ? [] : [{ check: name, detail: passed }]
    )
  }
}

/**
 * Counts the checks that passed, the failures and the warnings, in words.
 *
 * @since 0.1.0
 * @category printing
 */
export const summary = ({ findings, passed }: Report): string => {
  const count = (severity: Finding["severity"]) => findings.filter((one) => one.severity === severity).length
  const [failed, warnings] = [count("failure"), count("warning")]
  return [
    `${passed.length} passed`,
    ...(failed === 0 ? [] : [`${failed} failed`]),
    ...(warnings === 0 ? [] : [`${warnings} ${warnings === 1 ? "warning" : "warnings"}`])
  ].join(", ")
}
