/**
 * The threat: a file, a page or the output of a command holds a token that no tool read as a secret, and it goes to the
 * model, to whoever listens, or to a log. What is no token must stay as it is.
 */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect, FastCheck as fc, Logger, Redacted, Schema } from "effect"
import { Secrets } from "../../src/capabilities/secrets/Secrets.js"
import { SecretsBackend } from "../../src/capabilities/secrets/SecretsBackend.js"
import * as Authority from "../../src/policy/lattice/Authority.js"
import * as Policy from "../../src/policy/Policy.js"
import * as Registry from "../../src/registry/Registry.js"
import { Scrubber } from "../../src/registry/scrub/Scrubber.js"
import * as Turn from "../../src/registry/Turn.js"
import { Progress } from "../../src/tools/Progress.js"
import * as Tool from "../../src/tools/Tool.js"
import { times } from "../deep.js"

const x = (count: number) => "aB3dE5gH".repeat(Math.ceil(count / 8)).slice(0, count)
const hex = (count: number) => "0a1b2c3d".repeat(Math.ceil(count / 8)).slice(0, count)
const jwt = `eyJhbGciOiJIUzI1NiJ9.eyJ${x(60)}.${x(43)}`
const key = `-----BEGIN RSA PRIVATE KEY-----\n${x(64)}\n${x(64)}\n${x(20)}==\n-----END RSA PRIVATE KEY-----`

const TOKENS: ReadonlyArray<string> = [
  ...["ghp_", "gho_", "ghu_", "ghs_", "ghr_"].map((prefix) => prefix + x(36)),
  `github_pat_${x(22)}_${x(59)}`,
  `glpat-${x(20)}`,
  `glpat-${"abcdEfghijklmnopqrst"}`,
  `AKIA${"A1B2".repeat(4)}`,
  `ASIA${"ABCD".repeat(4)}`,
  `xoxb-${"1".repeat(12)}-${x(24)}`,
  `xoxe.xoxp-1-${x(40)}`,
  `xapp-1-A${x(10)}-${"1".repeat(13)}-${hex(64)}`,
  `AIza${x(35)}`,
  `ya29.${x(60)}`,
  `GOCSPX-${x(28)}`,
  `npm_${x(36)}`,
  `pypi-AgEIcHlwaS5vcmc${x(60)}`,
  `dckr_pat_${x(27)}`,
  `sk_live_${x(24)}`,
  `rk_test_${x(24)}`,
  `whsec_${x(32)}`,
  `sk-ant-api03-${x(40)}`,
  `sk-proj-${x(40)}`,
  `sk-${x(48)}`,
  `hf_${x(34)}`,
  `gsk_${x(52)}`,
  `dop_v1_${hex(64)}`,
  `shpat_${hex(32)}`,
  `hvs.${x(40)}`,
  `SG.${x(22)}.${x(43)}`,
  `123456789:AA${x(33)}`,
  `AGE-SECRET-KEY-1${"QPZRY9X8".repeat(7)}`,
  jwt,
  key
]

const scrubber = new Scrubber(true)

describe("a well-known token", () => {
  it.each(TOKENS)("is taken out of a text: %s", (token) => {
    for (const [before, after] of [
      ["", ""],
      ['{"key":"', '"}'],
      ["TOKEN=", "\nNEXT=1"],
      ["https://x.example/?t=", "&u=1"],
      ["a/", " b"]
    ]) {
      expect(scrubber.text(`${before}${token}${after}`)).toBe(`${before}[redacted]${after}`)
    }
  })

  const seams = [
    "\u200b",
    "\u00ad",
    "\ufeff",
    "\u2060",
    "\u202e",
    "\u001b[31m",
    "\u0000",
    "\n",
    "\r\n  ",
    "\\\n"
  ]

  /** Lines of capitals are a list of words, unless there is a digit among them. */
  const seamsOf = (token: string) =>
    /^[A-Z]+$/.test(token) ? seams.filter((seam) => !seam.includes("\n")) : seams

  it.each(TOKENS)("is not hidden by what nobody sees, or by a line that ends: %s", (token) => {
    fc.assert(
      fc.property(fc.constantFrom(...seamsOf(token)), fc.nat({ max: token.length - 2 }), (seam, at) => {
        const text = `x: ${token.slice(0, at + 1)}${seam}${token.slice(at + 1)} y`
        const shown = scrubber.text(text)
        expect(shown).toContain("[redacted]")
        // Past what a token has at least, the end of a line ends it: what is left of it opens nothing.
        expect(shown.split(seam).join("")).not.toContain(token)
        expect(shown.startsWith("x: ")).toBe(true)
        expect(shown.endsWith(" y")).toBe(true)
      }),
      { numRuns: times(60) }
    )
  })

  it("is not hidden by a seam after every character", () => {
    const token = `ghp_${x(36)}`
    for (const seam of ["\u200b", "\u0000"]) {
      expect(scrubber.text(`<${[...token].join(seam)}>`)).toBe("<[redacted]>")
    }
  })

  const escapes = [
    ...[
      "\\n",
      "\\r\\n",
      "\\t",
      "\\b",
      "\\f",
      "\\\\n",
      "\\u0022",
      "\\u003d",
      "\\u003D",
      "\\x3d",
      "\\u000a",
      "\\075"
    ],
    ...["%3D", "%3d", "%22", "%20", "%0A", "%253D", "%A0", "=3D", "&quot;", "&#61;"],
    ...["\u001b[31m", "\u001b[m", "\u001b[1;31m", "\\u001b[31m", "\\x1b[31m", "\\033[31m", "\\e[0;1m"]
  ]

  it.each(TOKENS)("H5: is not hidden by the escape that stands before it: %s", (token) => {
    for (const escape of escapes) {
      for (const before of ["", "a", "token", "a: "]) {
        expect(scrubber.text(`${before}${escape}${token}" y`)).toBe(`${before}${escape}[redacted]" y`)
      }
    }
  })

  it.each(TOKENS)(
    "H5: is not hidden by what nobody sees, or by a line that ends, if that is escaped: %s",
    (token) => {
      const breaks = ["\\n", "\\r\\n", "\\u000a", "%0A"]
      const hidden = ["\\u200b", "\\u00AD", "%E2%80%8B", "&#8203;", "\\u001b[31m"]
      fc.assert(
        fc.property(
          fc.constantFrom(...hidden, ...(/^[A-Z]+$/.test(token) ? [] : breaks)),
          fc.nat({ max: token.length - 2 }),
          (seam, at) => {
            const shown = scrubber.text(`x: ${token.slice(0, at + 1)}${seam}${token.slice(at + 1)} y`)
            expect(shown).toContain("[redacted]")
            expect(shown.split(seam).join("")).not.toContain(token)
            expect(shown.startsWith("x: ")).toBe(true)
            expect(shown.endsWith(" y")).toBe(true)
          }
        ),
        { numRuns: times(60) }
      )
    }
  )

  it("H5: is taken out of JSON within JSON, which is JSON after that as well", () => {
    const token = `ghp_${x(36)}`
    const text = JSON.stringify({ out: JSON.stringify({ log: `a\n${token}\n"${token}"` }) })
    const shown = scrubber.text(text)
    expect(shown).not.toContain(token)
    expect(JSON.parse(JSON.parse(shown).out)).toEqual({ log: 'a\n[redacted]\n"[redacted]"' })
  })

  it("H5: is the secret key of AWS in its JSON, in XML, and in JSON within JSON", () => {
    for (const [before, after] of [
      ['{"SecretAccessKey": "', '"}'],
      ["<SecretAccessKey>", "</SecretAccessKey>"],
      ['\\"aws_secret_access_key\\": \\"', '\\"'],
      ['\\"SecretAccessKey\\":\\"', '\\"'],
      ["secret_access_key: '", "'"],
      ["AWS_SECRET_ACCESS_KEY%3D", "%26"],
      ["AWS Secret Access Key: ", "\n"]
    ]) {
      expect(scrubber.text(`${before}${x(40)}${after}`)).toBe(`${before}[redacted]${after}`)
    }
  })

  it("W3: is what follows Bearer and Basic where these are no words of prose", () => {
    const pair = Buffer.from("user:password12345").toString("base64")
    for (const [before, token] of [
      ["authorization: bearer ", x(40)],
      ["Authorization: Bearer ", "tests/unit/test_utils_v2.py"],
      ["authorization: basic ", x(40)],
      ['\\"Authorization\\": \\"Bearer ', x(24)],
      ["Proxy-Authorization=Basic ", x(24)],
      ["got Bearer ", x(24)],
      ["got Bearer ", "123e4567-e89b-12d3-a456-426614174000"],
      ['"bearer ', x(24)],
      ["auth: bearer ", x(24)],
      ["Bearer%20", x(24)],
      ["sent Basic ", pair],
      ["sent basic ", pair]
    ]) {
      expect(scrubber.text(`${before}${token}" y`)).toBe(`${before}[redacted]" y`)
    }
  })

  it("W4: is a key of AWS that is broken once or twice", () => {
    const token = `AKIA${"A1B2".repeat(4)}`
    for (const text of [
      `${token.slice(0, 7)}\n${token.slice(7)}`,
      `${token.slice(0, 4)}\n${token.slice(4, 12)}\r\n  ${token.slice(12)}`
    ]) {
      expect(scrubber.text(`<${text}>`)).toBe("<[redacted]>")
    }
  })

  it("W5: is a password that only looks a little like a placeholder", () => {
    for (const password of [
      "$ecretPassw0rd",
      `\${A}s3cretPassw0rd`,
      "{s3cretPassw0rd",
      `\${X:-s3cretPassw0rd}`
    ]) {
      expect(scrubber.text(`postgres://admin:${password}@db/x`)).toBe("postgres://admin:[redacted]@db/x")
    }
  })

  it("is known by what stands before it, which stays", () => {
    for (const [before, token, after] of [
      ["Authorization: Bearer ", x(40), "\n"],
      ["authorization: basic ", "dXNlcjpwYXNzd29yZDEyMw==", '"'],
      ["aws_secret_access_key = ", x(40), "\n"],
      ['"AWS_SECRET_ACCESS_KEY": "', x(40), '"'],
      ["AccountKey=", `${x(86)}==`, ";EndpointSuffix"],
      ["https://hooks.slack.com/services/", `T0000/B0000/${x(24)}`, ""],
      ["https://discord.com/api/webhooks/1234567890/", x(68), ""],
      ["postgres://admin:", "s3cretPassw0rd", "@db:5432/x"]
    ]) {
      expect(scrubber.text(`${before}${token}${after}`)).toBe(`${before}[redacted]${after}`)
    }
  })

  it("is taken out of bytes, keys, and errors", () => {
    const token = `ghp_${x(36)}`
    expect(scrubber.value({ [token]: [token], n: 1 })).toEqual({ "[redacted]": ["[redacted]"], n: 1 })
    expect(Buffer.from(scrubber.bytes(Buffer.from(`<${token}>`))).toString()).toBe(`<${"*".repeat(40)}>`)
    expect(scrubber.value(new Error(token)).message).toBe("[redacted]")
  })
})

describe("honest text", () => {
  it.each([
    "commit 9fceb02d0ae598e95dc970b74767f19372d61af8 and 4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    "id 123e4567-e89b-12d3-a456-426614174000, 550E8400-E29B-41D4-A716-446655440000",
    '"integrity": "sha512-Ck9kKJ0LJ4HsAOaJXn6BgkUGZkIdLlMfQjyTjGvIaDBYdbzTPAo3sJMmpMXXGUGyZjbDDwtWY1nn7nZBHJTQ=="',
    "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "AKIA is how they begin; so do ghp_, xoxb- and sk-; npm_config_registry is a variable",
    "SLACK_TOKEN=xoxb-your-token-here\nGITHUB_TOKEN=ghp_your_token_goes_here_please\nS=xoxb-your-token-here\n1=2\nKEY=sk-ant-your-key-goes-here",
    "tokens that begin with xoxb-\nauthorization is another matter; glpat-\nsomethingelseentirely",
    "Bearer authentication, Basic authorization, a bearer of news, basic understanding",
    'if (text.includes("-----BEGIN PRIVATE KEY-----")) throw new Error("that is a key, and it stays at home")',
    "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----\nhere the file goes on with words as it did before",
    `-----BEGIN CERTIFICATE-----\n${x(64)}\n${x(64)}\n-----END CERTIFICATE-----`,
    `-----BEGIN PUBLIC KEY-----\n${x(64)}\n-----END PUBLIC KEY-----`,
    "git+ssh://git@github.com/a/b.git, https://user@example.com/, postgres://postgres:postgres@localhost:5432/app",
    "//# sourceMappingURL=data:application/json;base64,eyJ2ZXJzaW9uIjozLCJzb3VyY2VzIjpbXX0=",
    "eyJabc\nfoo\nbar.baz.qux and eyJ.eyJ",
    "task-force risk-taking disk-usage whisk-abcdefghijklmnopqrstuvwxyzabcdefgh1234",
    "1234567890:AAA, 12:34:56, 2024-01-01T00:00:00Z",
    "- basic tests/unit/test_utils_v2.py, see the basic src/components/button2/index.tsx",
    "bearer examples/oauth2/client.ts, a basic github.com/foo/bar-v2-client, kind: bearer docs/oauth2/client-flow.md",
    "Bearer token-authentication-v2.0-draft, Basic kubernetes.io/ingress.class2024, Basic https://x.y/2",
    "ASIA\nCN\nJP\nIN\nKR\nTH\nVN\nID\nMY\n\nEUROPE\n",
    "ASIA\\nCN\\nJP\\nIN\\nKR\\nTH\\nVN\\nID\\nMY\\n",
    "ASIA\nAFRICA\nEUROPE\nAMER\n",
    "ASIA\nG7\nG20\nEU27\nBRICS\nNATO\nABC\n",
    "REGION\nASIA\nEMEA\nLATM\nNOAM\nOCEA\n",
    `postgres://\${DB_USER}:\${DB1_PASSWORD}@localhost/db, mysql://{user}:{password_2_here}@host`,
    "postgres://user:<password_2_here>@host, postgres://user:%3Cpassword_2_here%3E@host",
    "redis://default:{{redis_password_1}}@host, redis://u:$REDIS1_PASSWORD@host, redis://u:%REDIS1_PASSWORD%@host",
    "C:\\new\\task-force\\disk-usage %20risk-taking \\nsk-learn \\u0022ghp_your_token_goes_here"
  ])("stays as it is: %s", (text) => {
    expect(scrubber.text(text)).toBe(text)
    expect(scrubber.value({ text })).toEqual({ text })
  })

  it("stays as it is in base64 and in hexadecimal, whatever that says", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 200, maxLength: 3000 }), fc.boolean(), (bytes, lines) => {
        const base64 = Buffer.from(bytes).toString("base64")
        const text = `data:image/png;base64,${lines ? base64.replace(/.{76}/g, "$&\n") : base64}`
        expect(scrubber.text(text)).toBe(text)
        const digits = Buffer.from(bytes).toString("hex")
        expect(scrubber.text(digits)).toBe(digits)
      }),
      { numRuns: times(300) }
    )
  })

  it("stays as it is in the sources and pages of this package", () => {
    const root = join(import.meta.dirname, "../..")
    const all = ["src", "docs"].flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && /\.(?:ts|md)$/.test(entry.name))
        .map((entry) => join(entry.parentPath, entry.name))
    )
    const changed = [...all, join(root, "package-lock.json")].filter((file) => {
      const text = readFileSync(file, "utf8")
      return scrubber.text(text) !== text
    })
    expect(changed).toEqual([])
  })

  it("takes linear time, however it is made", () => {
    for (const part of [
      "eyJ\n",
      "eyJa.e\n",
      "ghp_\n",
      "g\nh\np\n_\n",
      "-----BEGIN PRIVATE KEY-----\nMIIE",
      "=\n",
      "\u001b[",
      "\u001b[1",
      "[1;1mghp_",
      "\\nghp_",
      "\\n%3D",
      "%25",
      "\\",
      "A\\nK\\nI\\nA\\n",
      "Bearer a/",
      "Basic dXNlcjpw",
      "secret_key=",
      "://a:${"
    ]) {
      const hostile = part.repeat(Math.ceil(300_000 / part.length))
      expect(scrubber.text(hostile).length).toBeGreaterThan(0)
    }
  })
})

const TOKEN = `ghp_${x(36)}`
const BROKEN = `AKIA${"A1B2".repeat(2)}\u200b${"A1B2".repeat(2)}`

const leaky = Tool.make({
  name: "leaky",
  description: "Says what it found",
  parameters: Schema.Struct({ how: Schema.String }),
  success: Schema.Struct({ text: Schema.String, bytes: Schema.Uint8ArrayFromSelf }),
  failure: Schema.String,
  capabilities: { secrets: ["KEY"] },
  execute: ({ how }) =>
    Effect.gen(function* () {
      const { report } = yield* Progress
      yield* report({ message: `found ${TOKEN}`, done: 1 })
      yield* Effect.logInfo(`found ${TOKEN}`, { deep: [BROKEN] })
      if (how === "fail") return yield* Effect.fail(`cannot use ${TOKEN} or ${BROKEN}`)
      if (how === "die") return yield* Effect.die(new Error(TOKEN))
      if (how === "ask") yield* Effect.ignore(Secrets.get(TOKEN))
      return { text: `${TOKEN} and ${BROKEN}`, bytes: Buffer.from(TOKEN) }
    })
})

const authority = Schema.decodeSync(Authority.FromJson)({ secrets: { read: ["KEY"] } })

/** What a call shows, to everybody who is shown something. */
const called = (how: string, options: Partial<Turn.Options> = {}) =>
  Effect.gen(function* () {
    const turn = Turn.make({ session: "s", policy: Policy.make({ authority }), workdir: "/", ...options })
    const seen = { results: [] as Array<unknown>, progress: [] as Array<string>, logs: [] as Array<string> }
    const logger = Logger.make((all) => seen.logs.push(Logger.stringLogger.log(all)))
    const results = yield* Registry.make(leaky)
      .execute(turn, [{ id: "1", name: "leaky", args: { how } }], {
        onResult: (result) => seen.results.push(result)
      })
      .pipe(
        Effect.provide(Progress.layer(({ message }) => Effect.sync(() => seen.progress.push(message)))),
        Effect.provideService(
          SecretsBackend,
          SecretsBackend.fromOperations(Secrets.memory({ KEY: "value" }))
        ),
        Effect.provide(Logger.replace(Logger.defaultLogger, logger))
      )
    seen.results.push(results)
    return { ...seen, results, heard: seen.results, events: turn.transcript.events }
  })

const bitByBit = Tool.make({
  name: "bit_by_bit",
  description: "Reports a secret in pieces",
  parameters: Schema.Struct({}),
  capabilities: { secrets: ["KEY"] },
  execute: () =>
    Effect.gen(function* () {
      const { report } = yield* Progress
      const text = `<${Redacted.value(yield* Secrets.get("KEY"))}>`
      yield* report({ message: text.slice(0, 9) })
      yield* Effect.yieldNow()
      yield* report({ message: text.slice(9) })
      yield* report({ message: `${text.slice(0, 7)}\u200b${text.slice(7)}`, done: 1, total: 1 })
    })
})

describe("a turn", () => {
  it.effect("shows no secret that is reported bit by bit, also of two calls side by side", () =>
    Effect.gen(function* () {
      const turn = Turn.make({ session: "s", policy: Policy.make({ authority }), workdir: "/" })
      const heard: Array<string> = []
      yield* Registry.make(bitByBit)
        .execute(
          turn,
          ["1", "2"].map((id) => ({ id, name: "bit_by_bit", args: {} }))
        )
        .pipe(
          Effect.provide(Progress.layer(({ message }) => Effect.sync(() => heard.push(message)))),
          Effect.provideService(
            SecretsBackend,
            SecretsBackend.fromOperations(Secrets.memory({ KEY: "S3CR3T-VALUE-42" }))
          )
        )
      expect(heard).toHaveLength(6)
      for (const message of heard) expect(["<[redacted]", "[redacted]>", "<[redacted]>"]).toContain(message)
    })
  )

  it.effect("S18: shows no token in results, errors, progress, logs and events", () =>
    Effect.gen(function* () {
      for (const how of ["answer", "fail", "die", "ask"]) {
        const { events, heard, logs, progress } = yield* called(how)
        const all = JSON.stringify({ events, heard, logs, progress })
        expect(all).not.toContain(TOKEN)
        expect(all).not.toContain("A1B2")
        expect(progress).toEqual(["found [redacted]"])
        expect(logs.join("\n")).toContain("found [redacted]")
      }
      const [{ result }] = (yield* called("answer")).results
      expect(result).toMatchObject({ ok: true, value: { text: "[redacted] and [redacted]" } })
      const [failed] = (yield* called("fail")).results
      expect(failed.result).toMatchObject({ ok: false, error: "cannot use [redacted] or [redacted]" })
    })
  )

  it.effect("shows them where its host wants it so, and still none in events", () =>
    Effect.gen(function* () {
      const { events, progress, results } = yield* called("ask", { redactTokens: false })
      expect(results[0].result).toMatchObject({ ok: true, value: { text: `${TOKEN} and ${BROKEN}` } })
      expect(progress).toEqual([`found ${TOKEN}`])
      expect(JSON.stringify(events)).not.toContain(TOKEN)
    })
  )
})
