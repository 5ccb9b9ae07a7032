/** Whether something on this machine holds child processes, whose children run without that, and what killed programs left. */
import { Either } from "effect"
import * as Declaration from "../../capabilities/Declaration.js"
import type { ProcessBackend } from "../../capabilities/process/ProcessBackend.js"
import * as Authority from "../../policy/lattice/Authority.js"
import type { Scopes } from "../../policy/lattice/Facets.js"
import * as Sandbox from "../../policy/Sandbox.js"
import * as Isolation from "../../tools/Isolation.js"
import type { Finding, Input, Platform } from "./Model.js"
import { type Check, listed, type Subject, subjectsBy } from "./subjects.js"

/** Whoever reads the report may sit at another machine than the one that it is about. */
const INSTALL =
  "install it: 'apt install bubblewrap' (Debian, Ubuntu), 'dnf install bubblewrap' (Fedora) or 'pacman -S bubblewrap' (Arch)"

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

type Unheld = ProcessBackend.Holding & { readonly held: false }

/** It was asked and does not hold them, although it could on such a system. */
const failing = ({ holding }: Platform): Unheld | undefined =>
  holding?.held === false && holding.isExpected ? holding : undefined

const isUnsupported = ({ holding, platform }: Platform): boolean =>
  holding?.held === false ? !holding.isExpected : platform !== "linux" && platform !== "darwin"

/** The tools that run in processes of their own, which nothing holds. */
const apart = ({ sandbox: written, tools }: Input): string => {
  const names = [...tools.tools.values()].filter((tool) => Isolation.of(tool) !== undefined)
  if (names.length === 0) return ""
  const what = Sandbox.from(written).mode === "preferred" ? "run unheld" : "do not run"
  return `; isolated tools ${what}: ${listed(names.map(({ name }) => name))}`
}

const backend = (input: Input): ReadonlyArray<Finding> => {
  const { platform } = input
  if (isUnsupported(platform)) {
    const detail = `there is no sandbox for ${platform.platform}: proc.* runs unsandboxed${apart(input)}`
    return [
      of("warning", "SANDBOX_UNSUPPORTED", detail, "grant proc.* only to whom the machine may be trusted")
    ]
  }
  const found = failing(platform)
  if (found === undefined) return []
  const { kind, remedy, why } = found
  const isMissing = kind === "not_installed"
  return [
    of(
      "failure",
      isMissing ? "SANDBOX_MISSING" : "SANDBOX_UNUSABLE",
      `nothing holds child processes here: ${why}${apart(input)}`,
      isMissing && platform.platform === "linux" && why.includes("bwrap") ? INSTALL : remedy
    )
  ]
}

type Leftover = NonNullable<Input["leftovers"]>[number]

const KILLED = "a program was killed before it cleared up after a command"

const sentences: Readonly<Record<Leftover["kind"], readonly [detail: string, remedy: string]>> = {
  due: [KILLED, "run a command: it clears up first, and says what it moved"],
  foreign: [
    `${KILLED}, and was another user's`,
    "have that user run a command: nobody else may clear up by it"
  ],
  unknown: [
    `${KILLED}, and what that command could write is not known any more`,
    "look for what was made under names that run by themselves, and then delete this file"
  ],
  unusable: [
    "the journal of running commands cannot be used, so that none starts",
    "see that it is a directory of this user alone"
  ]
}

const leftovers = ({ leftovers: all = [] }: Input): ReadonlyArray<Finding> =>
  all.map(({ file, kind }) => {
    const [detail, remedy] = sentences[kind]
    return { ...of(kind === "unusable" ? "failure" : "warning", "SWEEP_DUE", detail, remedy), file }
  })

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

/** Who may run commands under one of these modes. */
const runners = (input: Input, modes: ReadonlyArray<Sandbox.Mode>): ReadonlyArray<Subject> => {
  const isOne = (mode: Sandbox.Mode | undefined) => modes.some((one) => one === mode)
  const { agents, personalities } = subjectsBy(input)
  const ofAgents = isOne(Sandbox.from(input.sandbox).mode) ? agents : []
  const asked = ofAgents.length === 0 ? undefined : wanted(input)
  return [
    ...ofAgents.filter(({ authority: { scopes } }) =>
      (["exec", "eval"] as const).some(
        (verb) => asked !== undefined && !scopes.process[verb].meet(asked[verb]).isEmpty
      )
    ),
    ...personalities.filter((subject) => isOne(subject.policy.sandbox) && runsCommands(subject, input))
  ]
}

const unheld = (who: ReadonlyArray<Subject>, because: string, remedy: string): ReadonlyArray<Finding> =>
  who.length === 0
    ? []
    : [
        of(
          "warning",
          "CHILDREN_NOT_HELD",
          `commands of ${listed(who.map(({ name }) => name))} are not held by the kernel: ${because}`,
          remedy
        )
      ]

/** Who asked for no sandbox, and who asked for one that may be missing where it is. */
const loose = (input: Input): ReadonlyArray<Finding> => {
  if (isUnsupported(input.platform)) return []
  const found = failing(input.platform)
  return [
    ...unheld(
      runners(input, ["off"]),
      "'sandbox: off' is written, and they touch whatever the user of this program may",
      "delete 'sandbox: off', or write 'sandbox: required'"
    ),
    ...(found === undefined
      ? []
      : unheld(
          runners(input, ["preferred"]),
          `it is only preferred, and ${found.why}`,
          "write 'sandbox: required' to refuse them until something holds them"
        ))
  ]
}

export const sandbox: Check = {
  name: "sandbox",
  passed: ({ platform: { holding } }) =>
    holding?.held === true ? `${holding.by ?? "the kernel"} holds child processes` : undefined,
  findings: (input) => [...backend(input), ...loose(input), ...leftovers(input)]
}
