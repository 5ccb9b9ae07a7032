/** What is refused or fails, each in one sentence with what to do. Arguments and values never appear. */
import { ProcessError } from "../../../capabilities/process/ProcessOperations.js"
import type { Proof } from "../../../policy/gate/Proof.js"
import type { Denial } from "../../../policy/lattice/Denial.js"
import { type Scoped, summary } from "../../../policy/lattice/Request.js"
import { quote } from "../../../policy/text/Quote.js"

const failure = (code: ProcessError["code"], detail: string): ProcessError =>
  new ProcessError({ code, detail })

/** What a denial may be called. */
type Code = ProcessError["code"] & Denial["code"]

/** Of a permitted command, what no policy lifts. */
type Refused = (proof: Proof<Scoped>) => ProcessError

const denialOf = ({ request }: Proof<Scoped>, code: Code, detail: string, remedy: string): Denial => ({
  reason: "scope_violation",
  code,
  detail,
  capability: request.capability,
  asked: summary(request),
  held: [],
  remedy
})

const refused =
  (code: Code, why: string, remedy: string): Refused =>
  (proof) => {
    const denial = proof.refuse(denialOf(proof, code, `${why}; ${remedy}`, remedy))
    return new ProcessError({ code, detail: denial.detail, denial })
  }

export const notFound = (name: string): ProcessError =>
  failure(
    "BINARY_NOT_FOUND",
    `${quote(name)} is no executable file on the operator's PATH; install it, or declare and call it by its full path`
  )

export const shellNotFound = (path: string): ProcessError =>
  failure(
    "BINARY_NOT_FOUND",
    `the shell ${quote(path)} is no executable file; use commands without a shell, or have the operator set the option shell of the process layer to the absolute path of one`
  )

export const notHere: ProcessError = failure(
  "BINARY_NOT_FOUND",
  "commands are not started on Windows; use Linux or macOS"
)

export const replaced = (name: string): Refused =>
  refused(
    "BINARY_NOT_ALLOWED",
    `${quote(name)} is no longer the file that it was when it was looked up`,
    "start another turn if it was updated on purpose"
  )

export const notProven: Refused = refused(
  "BINARY_NOT_ALLOWED",
  "the proof or the binary is of another command",
  "use the proof that was asked for this one, and the binary that was looked up for its name"
)

export const notADirectory = (path: string): ProcessError =>
  failure("CWD_NOT_REACHABLE", `${quote(path)} is not a directory that can be entered; name one that is`)

export const notThere = (denial: Denial): ProcessError => {
  const code = "CWD_NOT_REACHABLE"
  return new ProcessError({ code, detail: denial.detail, denial: { ...denial, code } })
}

const LINK_REMEDY = "have the policy name the real directory, or use one without symbolic links"

/** The same for a link to what exists and to what does not, and silent about where it leads; that was heard already. */
export const outside = (proof: Proof<Scoped>, path: string): ProcessError => {
  const code = "CWD_NOT_REACHABLE"
  const detail = `${quote(path)} resolves outside where this may run, through a symbolic link; ${LINK_REMEDY}`
  const denial = { ...denialOf(proof, code, detail, LINK_REMEDY), tool: proof.tool }
  return new ProcessError({ code, detail, denial })
}

export const variableRefused = (name: string): Refused =>
  refused(
    "ENV_REFUSED",
    `${quote(name)} may not be set, because it changes what a command runs or reads`,
    "leave it out"
  )

export const variableInvalid = (name: string): Refused =>
  refused(
    "ENV_REFUSED",
    `${quote(name)} is not a variable`,
    "a name has letters, digits and _ only, a value is text without NUL"
  )

export const deadlineInvalid: ProcessError = failure(
  "LIMIT_EXCEEDED",
  "the timeout is not a positive number; leave it out for the default"
)

export const timedOut = (name: string, millis: number): ProcessError =>
  failure(
    "TIMED_OUT",
    `${quote(name)} was stopped after ${millis} ms with all that it had started; give it less to do or a longer timeout`
  )

export const lineTooLong = (waiting: number): ProcessError =>
  failure("LIMIT_EXCEEDED", `${waiting} commands are waiting for others to end already; start fewer at once`)

export const closed: ProcessError = failure(
  "SPAWN_FAILED",
  "the process layer was closed; start commands before it is"
)

export const undying = (name: string): ProcessError =>
  failure("ENDED", `${quote(name)} was killed, and the system has not ended it; look for what holds it`)

export const inherits = (name: string): ProcessError =>
  failure(
    "SPAWN_FAILED",
    `${quote(name)} was not started, because it would inherit what the program that runs tools has open; the operator must start that program with fewer open descriptors`
  )

interface Unheld {
  readonly why: string
  readonly remedy: string
}

/** For a result: commands may run so, and whoever reads the result should know. */
export const warning = ({ remedy, why }: Unheld): string =>
  `nothing held this command, because ${why}: it could touch all that its user may; ${remedy}`

export const mustBeHeld = (name: string, { remedy, why }: Unheld): ProcessError =>
  failure(
    "SPAWN_FAILED",
    `${quote(name)} was not started, because commands must be held by the kernel, and ${why}; ${remedy}, or have the policy write 'sandbox: off'`
  )

export const notSetUp = (name: string): ProcessError =>
  failure(
    "SPAWN_FAILED",
    `${quote(name)} was not started, because what holds it could not be set up; try again, and if that fails too look at what 'bailiwick doctor' says`
  )

export const changed = (name: string): ProcessError =>
  failure(
    "SPAWN_FAILED",
    `${quote(name)} was not started, because what it would see changed while it was looked at; try again when nobody changes it`
  )

export const tooManyParts = (name: string): ProcessError =>
  failure(
    "SPAWN_FAILED",
    `${quote(name)} was not started, because too many files in its directories must be kept from it; have the policy name smaller directories`
  )

export const notExecuted = (name: string, said: string): ProcessError =>
  notStarted(name, { code: /no such file/i.test(said) ? "ENOENT" : /denied/i.test(said) ? "EACCES" : "" })

export const UNLIMITED =
  "the number of its processes was not limited, because the system exempts root from that and cgroup v2 may not be used here"

export const rootHasNoLimit: ProcessError = failure(
  "LIMIT_EXCEEDED",
  "the policy limits processes, and the system exempts root from that; run this program as another user, or where cgroup v2 may be used"
)

/** For a result: the policy wrote a limit that the system does not have for one child. */
export const notBounded = (what: string): string => `${what} was not limited, because macOS has no such limit`

export const noProfile = (name: string, detail: string): ProcessError =>
  failure("SPAWN_FAILED", `${quote(name)} was not started: ${detail}`)

export const noOwnDirectory = (name: string): ProcessError =>
  failure(
    "SPAWN_FAILED",
    `${quote(name)} was not started, because no directory could be made for what it writes in passing; make room where TMPDIR leads`
  )

export const limitsNotSet = (name: string): ProcessError =>
  failure(
    "SPAWN_FAILED",
    `${quote(name)} was not started, because its limits could not be set; have the policy write lower ones`
  )

const journalRemedies: ReadonlyMap<string, string> = new Map([
  ["ENOSPC", "make room there"],
  ["EDQUOT", "make room there"],
  ["ENOTDIR", "remove what is in its place"],
  ["EPERM", "let nobody but this user write there"]
])

export const notJournaled = (name: string, directory: string, code: string): ProcessError =>
  failure(
    "SPAWN_FAILED",
    `${quote(name)} was not started, because what is needed to clear up after it could not be kept in ${quote(directory)} (${code}); ${journalRemedies.get(code) ?? "let this user write there, or have the operator set the option sandbox.quarantine of the process layer"}`
  )

export const notLimited = (name: string): ProcessError =>
  failure(
    "SPAWN_FAILED",
    `${quote(name)} was not started, because its group could not be limited; look at whether cgroup v2 is still this user's`
  )

const reasons: ReadonlyMap<string, string> = new Map([
  ["ENOENT", "its file or its interpreter is missing; install it again"],
  ["EACCES", "the system does not let this user execute it; change its permissions"],
  ["ENOEXEC", "its file is not a program; check what is installed"],
  ["E2BIG", "its arguments and variables are too long; pass them through stdin or a file"],
  ["EAGAIN", "the system has no room for another process; start fewer at once"],
  ["ENOMEM", "the system is out of memory; start fewer at once"],
  ["EMFILE", "too many files are open; start fewer at once"],
  ["ENFILE", "too many files are open; start fewer at once"]
])

const codeOf = (cause: unknown): string =>
  typeof cause === "object" && cause !== null && "code" in cause && typeof cause.code === "string"
    ? cause.code
    : ""

export const notStarted = (name: string, cause: unknown): ProcessError =>
  failure(
    "SPAWN_FAILED",
    `${quote(name)} could not be started: ${reasons.get(codeOf(cause)) ?? "the system refused; check its limits"}`
  )
