/** The tools of the examples, unchanged, in one process and in processes of their own, over the doubles of their own tests. */
import { describe, expect, it } from "@effect/vitest"
import { Files, Network, Process, Records, Secrets, Storage, Tool } from "bailiwick"
import * as Isolated from "bailiwick/isolated"
import { Effect, Layer, type Scope } from "effect"
import { type Letter, Mail } from "../../examples/workspaces/assistant/services/Mail.js"
import { Forge } from "../../examples/workspaces/release-bot/services/Forge.js"
import { Desk, TicketClosed } from "../../examples/workspaces/support-desk/services/Desk.js"
import * as here from "./modules/examples.js"
import { at, directory } from "./world.js"

type Examples = typeof import("./modules/examples.js")

const kept = directory()

const ways: ReadonlyArray<
  readonly [string, Effect.Effect<Isolated.ToolsOf<Examples>, unknown, Scope.Scope>]
> = [
  ["in one process", Effect.succeed(here)],
  [
    "each in a process of its own",
    Isolated.toolkit<Examples>(at("examples"), { directory: kept, spares: 2, services: [Desk, Forge, Mail] })
  ]
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

  it.live("read a calendar at an address that is a secret", () =>
    using(({ agenda }) =>
      Effect.gen(function* () {
        const feed = "BEGIN:VEVENT\r\nDTSTART:20260301T140000Z\r\nSUMMARY:Dentist\r\nEND:VEVENT\r\n"
        const asked: Array<string> = []
        const network = Network.mock((url) => {
          asked.push(url)
          return feed
        })
        const secrets = Secrets.mock({ "calendar/feed": "http://127.0.0.1:8400/day.ics" })
        const day = Tool.run(agenda, { day: "2026-03-01" })
        expect(yield* Effect.provide(day, [network, secrets])).toEqual([{ at: "14:00", what: "Dentist" }])
        expect(asked).toEqual(["http://127.0.0.1:8400/day.ics"])
      })
    )
  )

  it.live("write a note, mail it once through a service of the application, and mail nothing to nobody", () =>
    using(({ jotNote, mailNote }) => {
      const letters: Array<Letter> = []
      const mail = Layer.succeed(Mail, { send: (letter) => Effect.sync(() => void letters.push(letter)) })
      return Effect.gen(function* () {
        const { id } = yield* Tool.run(jotNote, { title: "Cake!", text: "Bring it.", tags: [] })
        expect(id).toBe("notes/cake")
        const call = Tool.run(mailNote, { note: id, to: "contacts/ada" })
        expect(yield* call).toEqual({ subject: "Cake!", to: "ada@example.com", sent: true })
        expect(yield* call).toMatchObject({ sent: false })
        const error = yield* Effect.flip(Tool.run(mailNote, { note: id, to: id }))
        expect([error._tag, error.message]).toEqual([
          "NoAddress",
          "notes/cake is no contact with an email; name one such as contacts/ada"
        ])
        expect(letters).toEqual([{ to: "ada@example.com", subject: "Cake!", text: "Bring it.\n" }])
      }).pipe(
        Effect.provide([
          mail,
          Storage.mock(),
          Records.mock([{ id: "contacts/ada", class: "contact", frontMatter: { email: "ada@example.com" } }])
        ])
      )
    })
  )

  it.live("say what the next release is, and what git said", () =>
    using(({ changesSince, tagRelease }) =>
      Effect.gen(function* () {
        const git = (handler: Process.MockHandler) => Layer.merge(Process.mock(handler), Files.mock({}))
        const answered = git((_git, [command]) => (command === "tag" ? "v1.2.3" : "abc1\tfeat: search"))
        expect(yield* Effect.provide(Tool.run(changesSince, {}), answered)).toEqual({
          last: "v1.2.3",
          next: "v1.3.0",
          changes: [{ id: "abc1", subject: "feat: search" }]
        })
        const failed = git(() => ({ exitCode: 128, stderr: "fatal: tag 'v1.0.0' already exists\n" }))
        const tagged = Tool.run(tagRelease, { tag: "v1.0.0", message: "One" })
        const error = yield* Effect.flip(Effect.provide(tagged, failed))
        expect(error.message).toBe("git tag failed: fatal: tag 'v1.0.0' already exists")
      })
    )
  )

  it.live("put a draft of a release where the application has its releases, with the token", () =>
    using(({ draftRelease, listReleases }) =>
      Effect.gen(function* () {
        const address = "https://git.example.com/repos/acme/site/releases"
        const release = { tag_name: "v1.0.0", html_url: "https://git.example.com/r/1", draft: true }
        const seen: Array<unknown> = []
        const network = Network.mock((url, { headers, method }) => {
          seen.push([method, url, headers.authorization])
          return { json: method === "POST" ? release : [release] }
        })
        const around = [
          network,
          Secrets.mock({ GITHUB_TOKEN: "t-1" }),
          Layer.succeed(Forge, { releases: () => Effect.succeed(address) })
        ] as const
        const drafted = Tool.run(draftRelease, { tag: "v1.0.0", notes: "New" })
        expect(yield* Effect.provide(drafted, around)).toEqual(release)
        expect(yield* Effect.provide(Tool.run(listReleases, {}), around)).toEqual([release])
        expect(seen).toEqual([
          ["POST", address, "Bearer t-1"],
          ["GET", `${address}?per_page=20`, "Bearer t-1"]
        ])
      })
    )
  )

  it.live("answer a ticket of a desk that the application keeps, and none that is closed", () =>
    using(({ draftReply, findTickets, sendReply, showTicket }) => {
      const ticket = { id: 2, customer: "bo@example.com", subject: "Invoice", status: "open" as const }
      const sent: Array<string> = []
      const desk = Layer.succeed(Desk, {
        find: ({ status }) => Effect.succeed(status === "closed" ? [] : [ticket]),
        show: (id) => Effect.succeed({ ...ticket, id, messages: [{ author: "bo", text: "Where is it?" }] }),
        answer: ({ id, text }) =>
          id === 3 ? new TicketClosed({ id }) : Effect.sync(() => void sent.push(text))
      })
      return Effect.gen(function* () {
        expect(yield* Tool.run(findTickets, { text: "", status: "closed" })).toEqual([])
        expect(yield* Tool.run(findTickets, { text: "inv" })).toEqual([ticket])
        expect((yield* Tool.run(showTicket, { id: 2 })).messages).toHaveLength(1)
        for (const id of [2, 3]) yield* Tool.run(draftReply, { id, text: "It is below." })
        expect(yield* Tool.run(sendReply, { id: 2 })).toEqual({ id: 2, sent: "It is below." })
        const error = yield* Effect.flip(Tool.run(sendReply, { id: 3 }))
        expect([error._tag, error.message]).toEqual(["TicketClosed", "ticket 3 is closed"])
        expect(sent).toEqual(["It is below."])
      }).pipe(Effect.provide([desk, Storage.mock()]))
    })
  )
})
