/** The tools of the examples, unchanged, in one process and in processes of their own, over the doubles of their own tests. */
import { describe, expect, it } from "@effect/vitest"
import { Files, Network, Process, Secrets, Storage, Tool } from "bailiwick"
import * as Isolated from "bailiwick/isolated"
import { Effect, Layer, type Scope } from "effect"
import * as here from "./modules/examples.js"
import { at, directory } from "./world.js"

type Examples = typeof import("./modules/examples.js")

const kept = directory()

const ways: ReadonlyArray<
  readonly [string, Effect.Effect<Isolated.ToolsOf<Examples>, unknown, Scope.Scope>]
> = [
  ["in one process", Effect.succeed(here)],
  ["each in a process of its own", Isolated.toolkit<Examples>(at("examples"), { directory: kept, spares: 2 })]
]

describe.each(ways)("the tools of the examples %s", (_, made) => {
  const using = <A, E>(use: (kit: Isolated.ToolsOf<Examples>) => Effect.Effect<A, E>) =>
    Effect.scoped(Effect.flatMap(made, use))

  it.live("read a log, and fail with an error of their own outside of a repository", () =>
    using(({ recentCommits }) =>
      Effect.gen(function* () {
        const process = Process.mock((binary, args, options) => {
          expect([binary, ...args, options.cwd]).toEqual([
            "git",
            "log",
            "--max-count=2",
            "--format=%h%x09%s",
            "/work"
          ])
          return "abc1234\tAdd a tool\ndef5678\tA tab\tin the subject\n"
        })
        const commits = Tool.run(recentCommits, { directory: "/work", count: 2 })
        expect(yield* Effect.provide(commits, process)).toEqual([
          { id: "abc1234", subject: "Add a tool" },
          { id: "def5678", subject: "A tab\tin the subject" }
        ])
        const outside = Process.mock(() => ({ exitCode: 128, stderr: "fatal: not a git repository" }))
        const error = yield* Effect.flip(Effect.provide(commits, outside))
        expect([error._tag, error.message]).toEqual(["NotARepository", "/work is not a git repository"])
      })
    )
  )

  it.live("give every note a number of its own, even when they arrive at once", () =>
    using(({ addNote, listNotes }) =>
      Effect.gen(function* () {
        const texts = Array.from({ length: 6 }, (_, at) => `note ${at}`)
        const ids = yield* Effect.forEach(texts, (text) => Tool.run(addNote, { text }), {
          concurrency: "unbounded"
        })
        expect(new Set(ids.map(({ id }) => id)).size).toBe(6)
        expect([...(yield* Tool.run(listNotes, {}))].sort()).toEqual(texts)
      }).pipe(Effect.provide(Storage.mock()))
    )
  )

  it.live("summarise files, and fail, typed, where there are none", () =>
    using(({ summariseFiles }) =>
      Effect.gen(function* () {
        const files = Files.mock({ "/notes/a.md": "# Apples\n\nThey keep well.", "/notes/c.png": "not text" })
        const summary = Tool.run(summariseFiles, { directory: "/notes" })
        expect(yield* Effect.provide(summary, files)).toEqual([{ file: "a.md", title: "Apples", words: 5 }])
        const error = yield* Effect.flip(Effect.provide(summary, Files.mock({})))
        expect([error._tag, error.code, error instanceof Error]).toEqual(["FilesError", "NOT_FOUND", true])
      })
    )
  )

  it.live("ask for the weather with a key in a header, and say what is wrong with an answer", () =>
    using(({ fetchWeather }) =>
      Effect.gen(function* () {
        const seen: Array<string> = []
        const key = Secrets.mock({ WEATHER_API_KEY: "k-123" })
        const weather = Tool.run(fetchWeather, { lat: 1, lon: 2 })
        const sunny = Network.mock((url, { headers }) => {
          seen.push(url, headers.authorization ?? "")
          return { json: { celsius: 12, sky: "rain" } }
        })
        expect(yield* Effect.provide(weather, [sunny, key])).toEqual({ celsius: 12, sky: "rain" })
        expect(seen).toEqual(["https://api.weather.gov/points/1,2", "Bearer k-123"])
        const odd = Network.mock(() => ({ json: { celsius: "warm" } }))
        expect(yield* Effect.flip(Effect.provide(weather, [odd, key]))).toMatchObject({
          code: "DECODE_FAILED"
        })
        const keyless = yield* Effect.flip(Effect.provide(weather, [odd, Secrets.mock({})]))
        expect(keyless).toMatchObject({ _tag: "SecretsError" })
      })
    )
  )

  it.live("sum up a table by its columns", () =>
    using(({ sumBy }) =>
      Effect.gen(function* () {
        const files = Files.mock({ "/data/orders.csv": "region,amount\nsouth,20\nnorth,16.75\nsouth,8\n" })
        const sums = Tool.run(sumBy, { path: "/data/orders.csv", by: "region", of: "amount" })
        const summed = yield* Effect.provide(
          sums,
          Layer.mergeAll(
            files,
            Storage.mock(),
            Network.mock(() => "")
          )
        )
        expect(JSON.stringify(summed)).toContain("28")
      })
    )
  )
})
