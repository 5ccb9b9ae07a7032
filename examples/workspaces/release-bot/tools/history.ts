/** What happened since the last release, and what the next one is called. */
import { Tool } from "bailiwick"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { GitFailed, git, TagName } from "./git.ts"

const Change = Schema.Struct({ id: Schema.String, subject: Schema.String })

const lines = (text: string): ReadonlyArray<string> => text.split("\n").filter((line) => line !== "")

const lastTag = Effect.map(
  git("tag", "--list", "v*", "--sort=-version:refname", "--merged", "HEAD"),
  (text) => lines(text)[0]
)

/** `feat!:` breaks, `feat:` adds, and everything else mends. */
const following = (version: string, subjects: ReadonlyArray<string>): string => {
  const [major = 0, minor = 0, patch = 0] = version.slice(1).split(".").map(Number)
  if (subjects.some((subject) => /^\w+(?:\([^)]*\))?!:/.test(subject))) return `v${major + 1}.0.0`
  return subjects.some((subject) => subject.startsWith("feat"))
    ? `v${major}.${minor + 1}.0`
    : `v${major}.${minor}.${patch + 1}`
}

export const changesSince = Tool.make({
  name: "changes_since_release",
  description: "The commits since the last version tag, newest first, and the version that they make",
  parameters: Schema.Struct({}),
  success: Schema.Struct({
    last: Schema.NullOr(Schema.String),
    next: TagName,
    changes: Schema.Array(Change)
  }),
  failure: GitFailed,
  readOnly: true,
  needs: ["process.exec"],
  outputIsUntrusted: true,
  resultLimit: 20_000,
  // What git may read is what the tool may: the kernel holds it to that.
  capabilities: { process: { allowedBinaries: ["git"] }, fs_reach: { read: "from-personality" } },
  execute: () =>
    Effect.gen(function* () {
      const last = yield* lastTag
      const range = last === undefined ? "HEAD" : `${last}..HEAD`
      const log = yield* git("log", "--no-merges", "--max-count=500", "--format=%h%x09%s", range, "--")
      const changes = lines(log).map((line) => {
        const [id = "", ...subject] = line.split("\t")
        return { id, subject: subject.join("\t") }
      })
      const next = following(
        last ?? "v0.0.0",
        changes.map(({ subject }) => subject)
      )
      return { last: last ?? null, next, changes }
    })
})

export const tagRelease = Tool.make({
  name: "tag_release",
  description: "Tags the current commit as a release",
  parameters: Schema.Struct({ tag: TagName, message: Schema.NonEmptyTrimmedString }),
  success: Schema.Struct({ tag: TagName, commit: Schema.String }),
  failure: GitFailed,
  needs: ["process.exec"],
  capabilities: {
    process: { allowedBinaries: ["git"] },
    fs_reach: { read: "from-personality", write: "from-personality" }
  },
  execute: ({ message, tag }) =>
    Effect.gen(function* () {
      yield* git("tag", "--annotate", `--message=${message}`, tag)
      return { tag, commit: yield* git("rev-parse", "--short", "HEAD") }
    })
})
