/** Whether anything on this machine could hold child processes, and whom that concerns. */
import { Either } from "effect"
import * as Declaration from "../../capabilities/Declaration.js"
import * as Authority from "../../policy/lattice/Authority.js"
import type { Scopes } from "../../policy/lattice/Facets.js"
import * as Sandbox from "../../policy/Sandbox.js"
import type { Finding, Input, Platform } from "./Model.js"
import { type Check, listed, type Subject, subjectsBy } from "./subjects.js"

const INSTALL = {
  linux:
    "install it: 'apt install bubblewrap' (Debian, Ubuntu), 'dnf install bubblewrap' (Fedora) or 'pacman -S bubblewrap' (Arch)",
  darwin: "it comes with macOS: restore it"
} as const

const isKnown = (platform: string): platform is keyof typeof INSTALL => platform in INSTALL

const of = (
  severity: Finding["severity"],
  code: Finding["code"],
  detail: string,
  remedy: string
): Finding => ({
  severity,
  check: "sandbox",
  subject: "platform",
  code,
  detail,
  remedy
})

const backend = ({ platform, sandboxBackend }: Platform): ReadonlyArray<Finding> => {
  if (!isKnown(platform)) {
    const detail = `there is no sandbox for ${platform}: proc.* runs unsandboxed`
    return [
      of("warning", "SANDBOX_UNSUPPORTED", detail, "grant proc.* only to whom the machine may be trusted")
    ]
  }
  if (sandboxBackend?.found === true) return []
  const name = sandboxBackend?.name ?? (platform === "linux" ? "bwrap" : "/usr/bin/sandbox-exec")
  return [of("failure", "SANDBOX_MISSING", `${name} is not there to hold child processes`, INSTALL[platform])]
}

/** Whether a tool is left commands to run. */
const runsCommands = ({ policy }: Subject, { home, tools }: Input): boolean => {
  const plan = tools.plan(policy, home)
  return plan.offered.some(
    (tool) =>
      "process" in tool.capabilities &&
      Either.match(plan.of(tool), {
        onLeft: () => false,
        onRight: ({ authority }) => !Authority.isNothing(Authority.pick(authority, "process"))
      })
  )
}

/** What all tools together ask for: an agent offers them all. */
const wanted = ({ home, tools }: Input): Scopes["process"] =>
  Authority.joinAll(
    [...tools.tools.values()].map(({ capabilities }) =>
      Either.getOrElse(
        Declaration.authority(capabilities, home === undefined ? {} : { home }),
        () => Authority.nothing
      )
    )
  ).scopes.process

/** Where a sandbox is required, none run. */
const runners = (input: Input): ReadonlyArray<Subject> => {
  const { agents, personalities } = subjectsBy(input)
  const asked = wanted(input)
  return [
    ...(Sandbox.from(input.sandbox).mode === "required" ? [] : agents).filter(({ authority: { scopes } }) =>
      (["exec", "eval"] as const).some((verb) => !scopes.process[verb].meet(asked[verb]).isEmpty)
    ),
    ...personalities.filter(
      (subject) => subject.policy.sandbox !== "required" && runsCommands(subject, input)
    )
  ]
}

const unheld = (input: Input): ReadonlyArray<Finding> => {
  if (!isKnown(input.platform.platform)) return []
  const who = runners(input)
  if (who.length === 0) return []
  return [
    of(
      "warning",
      "CHILDREN_NOT_HELD",
      `commands of ${listed(who.map(({ name }) => name))} are not held by the kernel: this release has no sandbox yet, whatever is installed`,
      "write 'sandbox: required' in bailiwick.yaml to refuse commands until there is one"
    )
  ]
}

export const sandbox: Check = {
  name: "sandbox",
  passed: ({ platform: { sandboxBackend } }) =>
    sandboxBackend &&
    `${sandboxBackend.name} is there; this release does not use it yet, and nobody runs commands`,
  findings: (input) => [...backend(input.platform), ...unheld(input)]
}
