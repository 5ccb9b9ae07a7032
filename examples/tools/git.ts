/** Runs git, and only git, to say what changed lately. */
import { Process, Tool } from "bailiwick"
import { Effect, Schema } from "effect"

const Commit = Schema.Struct({ id: Schema.String, subject: Schema.String })

class NotARepository extends Schema.TaggedError<NotARepository>()("NotARepository", {
  directory: Schema.String
}) {
  override get message(): string {
    return `${this.directory} is not a git repository`
  }
}

const parse = (log: string): ReadonlyArray<typeof Commit.Type> =>
  log
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const [id = "", ...subject] = line.split("\t")
      return { id, subject: subject.join("\t") }
    })

export const recentCommits = Tool.make({
  name: "recent_commits",
  description: "The latest commits of a repository, newest first",
  parameters: Schema.Struct({
    directory: Schema.String,
    count: Schema.optionalWith(Schema.Int.pipe(Schema.between(1, 100)), { default: () => 10 })
  }),
  success: Schema.Array(Commit),
  failure: NotARepository,
  readOnly: true,
  capabilities: { process: { allowedBinaries: ["git"] } },
  execute: ({ count, directory }) =>
    Effect.gen(function* () {
      const log = yield* Process.spawn("git", ["log", `--max-count=${count}`, "--format=%h%x09%s"], {
        cwd: directory,
        timeoutMillis: 5_000
      })
      if (log.exitCode === 128) return yield* new NotARepository({ directory })
      return parse(log.stdout)
    })
})
