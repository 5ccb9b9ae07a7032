/** What git is asked, with its errors in words. */
import { Process } from "bailiwick"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

export class GitFailed extends Schema.TaggedError<GitFailed>()("GitFailed", {
  command: Schema.String,
  said: Schema.String
}) {
  override get message(): string {
    return `git ${this.command} failed: ${this.said}`
  }
}

/** What `git` printed; the first word is the command. */
export const git = (command: string, ...args: ReadonlyArray<string>) =>
  Effect.flatMap(
    Process.spawn("git", [command, ...args], { timeoutMillis: 10_000 }),
    ({ exitCode, stderr, stdout }) =>
      exitCode === 0
        ? Effect.succeed(stdout.trimEnd())
        : new GitFailed({ command, said: stderr.trim().split("\n")[0] ?? "" })
  )

/** Nothing that git would take for an option, a range or a file. */
export const TagName = Schema.String.pipe(Schema.pattern(/^v\d+\.\d+\.\d+$/)).annotations({
  description: "A version tag, such as v1.2.0"
})
