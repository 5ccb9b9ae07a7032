/**
 * The policy of a server as the files say it now. Whoever asks has the files looked at, and only what differs is read anew.
 * What cannot be read any more permits nothing until it can.
 */
import { statSync } from "node:fs"
import { dirname, join } from "node:path"
import { Either } from "effect"
import type { McpServeCommand } from "../../Arguments.js"
import { CliError } from "../../CliError.js"
import type { Surroundings } from "../../Surroundings.js"
import { type Authority, authorityOf } from "../../workspace/Acting.js"
import { personalityFiles, type Setting } from "../../workspace/LoadPersonality.js"
import { upward } from "../../workspace/own/Installation.js"
import { settingOf } from "../../workspace/Setting.js"
import { NAME } from "../../workspace/Workspace.js"

export interface Policed {
  readonly authority: Authority
  readonly setting: Setting
}

type State = Either.Either<Policed, CliError>

const LOCK = "bailiwick.lock.json"

/** Two that are the same are of the same contents, as far as a file system tells. */
const stampOf = (file: string): string => {
  try {
    const found = statSync(file, { bigint: true, throwIfNoEntry: false })
    return found === undefined
      ? "-"
      : `${found.dev}:${found.ino}:${found.size}:${found.mtimeNs}:${found.ctimeNs}`
  } catch {
    return "?"
  }
}

export class LivePolicy {
  private state: State
  private files: ReadonlyArray<string> = []
  /** How the files were before they were read; nothing where nobody looked at them before. */
  private stamp: string | undefined
  private identity: string
  private readonly listeners = new Set<() => void>()

  /** `first` is how it was read when the server started. */
  constructor(
    private readonly command: McpServeCommand,
    private readonly around: Surroundings,
    first: Policed,
    /** What was loaded as code then; modules are not loaded again. */
    private readonly code: ReadonlyArray<string>
  ) {
    this.state = Either.right(first)
    this.files = this.filesOf(first.setting, first.authority)
    this.identity = this.identityNow()
  }

  /** Called when what is served may be something else. The answer stops it. */
  listen(listener: () => void): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  /** Calls those who listen. */
  tell(): void {
    for (const listener of this.listeners) listener()
  }

  /** The directories in which a change may be one of the policy. */
  get directories(): ReadonlyArray<string> {
    return [...new Set(this.files.map((file) => dirname(file)))]
  }

  /** As the files say it now. */
  current(): State {
    const { files } = this
    const stamp = this.stampNow()
    if (stamp === this.stamp && Either.isRight(this.state)) return this.state
    this.state = this.read()
    // A file may be edited while it is read, and what was read may be in other files now: then it is read once more.
    this.stamp = files.join("\0") === this.files.join("\0") ? stamp : undefined
    const identity = this.identityNow()
    if (identity !== this.identity) {
      this.identity = identity
      this.tell()
    }
    return this.state
  }

  private read(): State {
    try {
      const read = settingOf(this.command, this.around)
      const setting = { ...read, code: [...new Set([...read.code, ...this.code])] }
      const authority = authorityOf(this.command, setting)
      this.files = this.filesOf(setting, authority)
      return Either.right({ authority, setting })
    } catch (error) {
      return Either.left(error instanceof CliError ? error : new CliError("the policy cannot be read"))
    }
  }

  private filesOf({ workdir, workspace, ...rest }: Setting, { agent }: Authority): ReadonlyArray<string> {
    const root = workspace?.root
    // A workspace that begins nearer than the one there is would be the one.
    const above = upward(workdir)
    const candidates = root === undefined ? above : above.slice(0, above.indexOf(root) + 1)
    const { personality } = this.command
    return [
      ...candidates.map((directory) => join(directory, NAME)),
      ...(root === undefined ? [] : [join(root, LOCK)]),
      ...(agent === undefined ? [] : [agent.file]),
      ...(personality === undefined ? [] : personalityFiles(personality, { workdir, workspace, ...rest }))
    ]
  }

  private stampNow(): string {
    return this.files.map(stampOf).join("|")
  }

  /** Two that are the same serve the same: a comment that was edited is no change. */
  private identityNow(): string {
    const lock = this.files.filter((file) => file.endsWith(LOCK)).map(stampOf)
    return Either.match(this.state, {
      onLeft: ({ message }) => message,
      onRight: ({ authority, setting }) =>
        [
          authority.policy.revision,
          setting.workspace?.root ?? "",
          JSON.stringify((setting.workspace?.servers ?? []).map(({ name, server }) => [name, server])),
          ...lock
        ].join("|")
    })
  }
}
