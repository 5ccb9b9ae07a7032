import { describe, expect, it } from "@effect/vitest"
import { Process, Tool } from "bailiwick"
import { Effect } from "effect"
import { recentCommits } from "./git.js"

describe("recent_commits", () => {
  it.effect("reads the log of the directory it is given", () =>
    Effect.gen(function* () {
      const process = Process.mock((binary, args, options) => {
        expect([binary, ...args]).toEqual(["git", "log", "--max-count=2", "--format=%h%x09%s"])
        expect(options.cwd).toBe("/work")
        return "abc1234\tAdd a tool\ndef5678\tA tab\tin the subject\n"
      })
      const commits = yield* Tool.run(recentCommits, { directory: "/work", count: 2 }).pipe(
        Effect.provide(process)
      )
      expect(commits).toEqual([
        { id: "abc1234", subject: "Add a tool" },
        { id: "def5678", subject: "A tab\tin the subject" }
      ])
    })
  )

  it.effect("fails with its own error outside a repository", () =>
    Effect.gen(function* () {
      const process = Process.mock(() => ({ exitCode: 128, stderr: "fatal: not a git repository" }))
      const error = yield* Effect.flip(
        Tool.run(recentCommits, { directory: "/tmp", count: 1 }).pipe(Effect.provide(process))
      )
      expect(error.message).toBe("/tmp is not a git repository")
    })
  )
})
