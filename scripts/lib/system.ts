/**
 * Programs of the system that some tests need. Where one is missing, those tests are left out and a line says so; in CI,
 * where everything can be installed, that is a failure.
 */
import { accessSync, constants } from "node:fs"
import { delimiter, join } from "node:path"

interface SystemProgram {
  readonly command: string
  readonly debian: string
  /** What is left out without it. */
  readonly tests: string
}

const programs = {
  ripgrep: { command: "rg", debian: "ripgrep", tests: "searches with the ripgrep that is installed" },
  bwrap: { command: "bwrap", debian: "bubblewrap", tests: "children that the kernel holds" },
  prlimit: { command: "prlimit", debian: "util-linux", tests: "limits of children" },
  perl: { command: "perl", debian: "perl-base", tests: "attacks on what holds children, and their network" },
  openssl: { command: "openssl", debian: "openssl", tests: "connections of children over TLS" },
  curl: { command: "curl", debian: "curl", tests: "curl in the network of a child" },
  wget: { command: "wget", debian: "wget", tests: "wget in the network of a child" },
  git: { command: "git", debian: "git", tests: "git in the network of a child" },
  pip: { command: "pip3", debian: "python3-pip", tests: "pip in the network of a child" },
  tmux: { command: "tmux", debian: "tmux", tests: "the command line in a terminal" },
  bash: { command: "bash", debian: "bash", tests: "completion in bash" },
  zsh: { command: "zsh", debian: "zsh", tests: "completion in zsh" },
  fish: { command: "fish", debian: "fish", tests: "completion in fish" },
  chromium: { command: "chromium", debian: "chromium", tests: "the page of the audit log in a browser" },
  // Its own programs are in no path; what manages them is.
  postgres: { command: "pg_ctlcluster", debian: "postgresql", tests: "state in PostgreSQL" }
} as const satisfies Readonly<Record<string, SystemProgram>>

type Environment = Readonly<Record<string, string | undefined>>

const isThere = ({ command }: SystemProgram, { PATH = "" }: Environment): boolean =>
  PATH.split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, command), constants.X_OK)
      return true
    } catch {
      return false
    }
  })

/** Whether everything can be installed here. */
export const isCI = ({ CI = "" }: Environment): boolean => CI !== "" && CI !== "false"

/** Whether a test that needs the program may run. In CI a missing program throws. */
export const has = (name: keyof typeof programs, env: Environment = process.env): boolean => {
  if (isThere(programs[name], env)) return true
  if (isCI(env)) throw new Error(`${programs[name].command} is missing: install ${programs[name].debian}`)
  return false
}

/** One line about what is left out here, if anything is. */
export const leftOut = (env: Environment = process.env): string | undefined => {
  const missing = Object.values(programs).filter((program) => !isThere(program, env))
  if (missing.length === 0) return undefined
  const tests = missing.map((program) => program.tests).join(", ")
  return `left out: ${tests}; to run them: apt-get install ${missing.map(({ debian }) => debian).join(" ")}`
}

/** The same where nothing may be left out. */
export const missingInCI = (env: Environment = process.env): string | undefined =>
  isCI(env) ? leftOut(env) : undefined
