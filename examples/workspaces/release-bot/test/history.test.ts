import { describe, expect, it } from "@effect/vitest"
import { Files, Process, Tool } from "bailiwick"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { changesSince, tagRelease } from "../tools/history.ts"

/** Git in name only. The files that the tools declare are for it, and they open none themselves. */
const git = (handler: Process.MockHandler) => Layer.merge(Process.mock(handler), Files.mock({}))

const repository = (tags: ReadonlyArray<string>, subjects: ReadonlyArray<string>) =>
  git((_git, [command]) =>
    command === "tag" ? tags.join("\n") : subjects.map((subject, at) => `abc${at}\t${subject}`).join("\n")
  )

describe("changes_since_release", () => {
  it.effect.each([
    [["fix: a typo"], "v1.2.4"],
    [["feat: search", "fix: a typo"], "v1.3.0"],
    [["feat(api)!: other names", "feat: search"], "v2.0.0"]
  ] as const)("%j make %s", ([subjects, next]) =>
    Effect.gen(function* () {
      const answer = yield* Tool.run(changesSince, {}).pipe(
        Effect.provide(repository(["v1.2.3", "v1.2.2"], subjects))
      )
      expect(answer).toMatchObject({ last: "v1.2.3", next })
      expect(answer.changes.map(({ subject }) => subject)).toEqual(subjects)
    })
  )

  it.effect("asks for all commits where nothing was released", () =>
    Effect.gen(function* () {
      const asked: Array<ReadonlyArray<string>> = []
      const process = git((_git, args) => {
        asked.push(args)
        return ""
      })
      expect(yield* Tool.run(changesSince, {}).pipe(Effect.provide(process))).toEqual({
        last: null,
        next: "v0.0.1",
        changes: []
      })
      expect(asked[1]?.slice(-2)).toEqual(["HEAD", "--"])
    })
  )
})

describe("tag_release", () => {
  it("takes nothing for a tag that git would take for something else", () => {
    const takes = Schema.is(tagRelease.parameters)
    expect(takes({ tag: "v1.0.0", message: "One" })).toBe(true)
    for (const tag of ["--delete", "v1", "v1.0.0 -f", "HEAD..v1.0.0"]) {
      expect(takes({ tag, message: "One" })).toBe(false)
    }
  })

  it.effect("says what git said", () =>
    Effect.gen(function* () {
      const process = git(() => ({ exitCode: 128, stderr: "fatal: tag 'v1.0.0' already exists\n" }))
      const error = yield* Effect.flip(
        Tool.run(tagRelease, { tag: "v1.0.0", message: "One" }).pipe(Effect.provide(process))
      )
      expect(error.message).toBe("git tag failed: fatal: tag 'v1.0.0' already exists")
    })
  )
})
