/** Threat: parts without end, in one another or in number; names that are paths; a mail that is a link. */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, Queue, TestClock } from "effect"
import { Email } from "../../src/adapters/index.js"
import { AttachmentCache } from "../../src/layers/node/attachments/AttachmentCache.js"
import { temporary } from "../layers/attachments/temporary.js"
import { asleep } from "../waiting.js"
import { filesBelow, PNG } from "./world.js"

const lines = (...given: ReadonlyArray<string>) => `${given.join("\r\n")}\r\n`

interface Part {
  readonly type: string
  readonly filename?: string
  readonly body: Uint8Array | string
}

const partOf = ({ body, filename, type }: Part) =>
  lines(
    `Content-Type: ${type}`,
    ...(filename === undefined ? [] : [`Content-Disposition: attachment; filename="${filename}"`]),
    "Content-Transfer-Encoding: base64",
    "",
    Buffer.from(body)
      .toString("base64")
      .replace(/(.{76})/g, "$1\r\n")
  )

const mailOf = (parts: ReadonlyArray<Part>, headers: ReadonlyArray<string> = []) =>
  lines(
    "From: Ada <Ada@Example.com>",
    "To: agent@example.com",
    "Subject: =?utf-8?q?A_caf=C3=A9?=",
    "Message-ID: <m1@example.com>",
    ...headers,
    "MIME-Version: 1.0",
    'Content-Type: multipart/mixed; boundary="b1"',
    "",
    ...parts.flatMap((part) => ["--b1", partOf(part)]),
    "--b1--"
  )

const text: Part = { type: "text/plain; charset=utf-8", body: "What is this?" }
const photo: Part = { type: "image/png", filename: "cat.png", body: PNG }

const cached = (directory: string, options: Partial<AttachmentCache.Options> = {}) =>
  AttachmentCache.layer({ directory, ...options })

const received = (mail: string, options: Parameters<typeof Email.make>[0] = {}) =>
  Effect.gen(function* () {
    const directory = yield* temporary
    const receive = yield* Effect.provide(Email.make(options), cached(directory))
    return yield* receive(mail)
  })

describe("a mail", () => {
  it.scoped("brings its text and its parts", () =>
    Effect.gen(function* () {
      const message = yield* received(mailOf([text, photo]))
      expect(message).toMatchObject({
        platform: "email",
        sessionKey: "email:ada@example.com:<m1@example.com>",
        messageId: "<m1@example.com>",
        text: "Subject: A café\n\nWhat is this?",
        attachments: [
          { ref: "att-0", type: "image", mimeType: "image/png", filename: "cat.png", sizeBytes: PNG.length }
        ]
      })
      expect(readFileSync(fileURLToPath(message.attachments[0]?.url ?? "")).equals(PNG)).toBe(true)
    })
  )

  it.scoped("an answer belongs to its thread, and a stranger's does not", () =>
    Effect.gen(function* () {
      const reply = ["In-Reply-To: <m2@example.com>", "References: <m0@example.com> <m2@example.com>"]
      expect((yield* received(mailOf([text], reply))).sessionKey).toBe(
        "email:ada@example.com:<m0@example.com>"
      )
      const stranger = mailOf([text], reply).replace("Ada <Ada@Example.com>", "eve@example.net")
      expect((yield* received(stranger)).sessionKey).toBe("email:eve@example.net:<m0@example.com>")
    })
  )

  it.scoped("text is read from HTML where there is no other", () =>
    Effect.gen(function* () {
      const message = yield* received(
        mailOf([{ type: "text/html", body: "<p>Hello <b>you</b></p><script>x</script>" }])
      )
      expect(message.text).toContain("Hello you")
      expect(message.text).not.toContain("<")
    })
  )

  const bodiesOf = (...bodies: ReadonlyArray<readonly [type: string, body: string]>) =>
    lines(
      "From: a@b.c",
      "Content-Type: multipart/mixed; boundary=b1",
      "",
      ...bodies.flatMap(([type, body]) => ["--b1", `Content-Type: ${type}`, "", body]),
      "--b1--"
    )

  it.scoped("text is read from HTML next to other text, in order, and alternatives are read once", () =>
    Effect.gen(function* () {
      const mixed = bodiesOf(["text/html", "<p>The <b>body</b></p>"], ["text/plain", "and a footer"])
      expect((yield* received(mixed)).text).toBe("The body\n\nand a footer")
      const either = bodiesOf(["text/html", "<p>rich</p>"], ["text/plain", "plain"])
      expect((yield* received(either.replace("mixed", "alternative"))).text).toBe("plain")
    })
  )

  it.scoped(
    "tags without end are read once",
    () =>
      Effect.gen(function* () {
        // Read again from each of them, they would take longer than a test may.
        const mail = bodiesOf(["text/html", "<a href=x".repeat(300_000)], ["text/plain", "hello"])
        expect((yield* received(mail)).text).toContain("hello")
      }),
    60_000
  )

  it.scoped("[A11] [A12] names that are paths are made fit, and what is mislabelled is refused", () =>
    Effect.gen(function* () {
      const message = yield* received(
        mailOf([
          text,
          { ...photo, filename: "../../x.png" },
          { type: "image/png", filename: "page.png", body: "<html>no</html>" }
        ])
      )
      expect(message.attachments.map(({ filename, ref }) => [ref, filename])).toEqual([["att-0", "x.png"]])
      expect(message.text).toContain('[the file "page.png" was not taken: the attachment is text/html')
    })
  )

  it.scoped("a mail in a mail is a file, and is not unpacked", () =>
    Effect.gen(function* () {
      const inner = mailOf([text, photo])
      const outer = lines(
        "From: eve@example.net",
        "Message-ID: <o@example.net>",
        'Content-Type: multipart/mixed; boundary="o"',
        "",
        "--o",
        "Content-Type: message/rfc822",
        "",
        inner,
        "--o--"
      )
      const { attachments } = yield* received(outer)
      expect(attachments.map(({ mimeType, type }) => [type, mimeType])).toEqual([["file", "text/plain"]])
    })
  )

  const deep = (depth: number): string =>
    depth === 0
      ? partOf(photo)
      : lines(
          `Content-Type: multipart/mixed; boundary="d${depth}"`,
          "",
          `--d${depth}`,
          deep(depth - 1),
          `--d${depth}--`
        )

  it.scoped.each([
    ["too deep", lines("From: a@b.c", "Subject: Hi", deep(40).trimEnd()), /too deep/],
    ["too many", mailOf(Array.from({ length: 300 }, () => photo)), /more than 200 parts/],
    [
      "too many, with a boundary in pieces",
      lines(
        "Subject: Hi",
        "Content-Type: multipart/mixed; boundary*0=b; boundary*1=1",
        "",
        ...Array.from({ length: 300 }, () => lines("--b1", partOf(photo)))
      ),
      /more than 200 parts/
    ],
    ["too long", mailOf([{ ...photo, body: Buffer.alloc(1_000_000) }]), /more than 1000000 bytes/],
    ["too long in its headers", `Subject: Hi\r\nX: ${"x".repeat(300_000)}\r\n\r\nbody`, /were not read/]
  ] as const)("parts that are %s leave the subject and a note", ([, mail, note]) =>
    Effect.gen(function* () {
      const message = yield* received(mail, { maxMailBytes: 1_000_000 })
      expect(message.attachments).toEqual([])
      expect(message.text).toMatch(note)
    })
  )

  it.scoped.each([
    ["an escape", 'boundary="a\\"b"', 'a"b'],
    ["a comment in its name", "bou(x)ndary=b1", "b1"],
    ["a comment before it", "boundary (x) = b1", "b1"],
    ["blanks in it", "boundary=a b", "a b"],
    ["blanks at its end", 'boundary="b1 "', "b1 "],
    ["more characters than any", `boundary=${"a".repeat(300)}`, "a".repeat(300)],
    ["a line of its own", 'charset="x";\r\n\tboundary=\r\n b1', "b1"],
    ["a quote in it", 'boundary=b"1"', "b1"],
    ["other letters", "boundary=\u00e9", "\u00e9"]
  ] as const)("a boundary with %s hides no parts from who counts them", ([, parameter, boundary]) =>
    Effect.gen(function* () {
      const mail = lines(
        "Subject: Hi",
        `Content-Type: multipart/mixed; ${parameter}`,
        "",
        ...Array.from({ length: 300 }, () => lines(`--${boundary}`, partOf(photo)))
      )
      expect(yield* received(mail)).toMatchObject({
        attachments: [],
        text: expect.stringContaining("more than 200 parts")
      })
    })
  )

  it.scoped("lines without end are not taken apart", () =>
    Effect.gen(function* () {
      const { text } = yield* received(`Subject: Hi\r\n\r\n${"\n".repeat(8_000_000)}`)
      expect(text).toMatch(/^Subject: Hi\n\n\[the text .* more than 700000 lines\]$/)
    })
  )

  it.scoped("lines with dashes are parts of nothing where the boundary is plain", () =>
    Effect.gen(function* () {
      const sql = "-- a comment\n".repeat(300)
      const mail = lines(
        "Subject: Hi",
        'Content-Type: multipart/mixed; boundary="b1"; x="(1)"',
        "",
        "--b1",
        'Content-Type: application/sql; name="dump (1).sql"',
        'Content-Disposition: attachment; filename="dump (1).sql"',
        "",
        sql,
        "--b1--"
      )
      const { attachments } = yield* received(mail)
      expect(attachments).toMatchObject([{ ref: "att-0", filename: "dump (1).sql" }])
    })
  )

  it.scoped("more files than a message brings are counted, and not kept", () =>
    Effect.gen(function* () {
      const message = yield* received(mailOf(Array.from({ length: 30 }, () => photo)))
      expect(message.attachments).toHaveLength(20)
      expect(message.text).toContain("[10 more files were not taken: a message brings at most 20]")
    })
  )

  it.scoped("what is no mail at all arrives as the text that it is", () =>
    Effect.gen(function* () {
      for (const given of ["", "\u0000\u0001\u0002", "no headers", "--b1\r\n--b1--"]) {
        const message = yield* received(given)
        expect(message.messageId).toMatch(/^[0-9a-f]{64}$/)
      }
    })
  )

  it.scoped("is read from a file, which must be one", () =>
    Effect.gen(function* () {
      const directory = yield* temporary
      const path = join(directory, "a.eml")
      writeFileSync(path, mailOf([text, photo]))
      symlinkSync(path, join(directory, "link.eml"))
      const from = (name: string) =>
        Effect.provide(Email.fromFile(join(directory, name)), cached(join(directory, "cache")))
      expect((yield* from("a.eml")).attachments).toHaveLength(1)
      for (const name of ["link.eml", "cache", "missing.eml"]) {
        expect((yield* Effect.flip(from(name))).code).toBe("MESSAGE_INVALID")
      }
    })
  )
})

describe("a maildir", () => {
  const made = Effect.gen(function* () {
    const root = yield* temporary
    const directory = join(root, "mail")
    for (const folder of ["new", "cur", "tmp"]) mkdirSync(join(directory, folder), { recursive: true })
    return {
      directory,
      cache: join(root, "cache"),
      into: (name: string, mail: string) => writeFileSync(join(directory, "new", name), mail)
    }
  })
  const seen = (directory: string, folder: string) => readdirSync(join(directory, folder)).sort()

  it.scoped("hands over what comes into new/, and moves it to cur/", () =>
    Effect.gen(function* () {
      const { cache, directory, into } = yield* made
      into("1.host", mailOf([text, photo]))
      const taken = yield* Queue.unbounded<number>()
      const fiber = yield* Effect.fork(
        Effect.provide(
          Email.maildir({ directory }, ({ attachments }) => Queue.offer(taken, attachments.length)),
          cached(cache)
        )
      )
      expect(yield* Queue.take(taken)).toBe(1)
      yield* asleep
      expect([seen(directory, "new"), seen(directory, "cur")]).toEqual([[], ["1.host:2,S"]])
      into("2.host", mailOf([text]))
      yield* TestClock.adjust("5 seconds")
      expect(yield* Queue.take(taken)).toBe(0)
      yield* Fiber.interrupt(fiber)
    })
  )

  it.scoped("what the program fails on stays in new/, and is tried three times", () =>
    Effect.gen(function* () {
      const { cache, directory, into } = yield* made
      into("1", mailOf([text]))
      symlinkSync("/etc/hostname", join(directory, "new", "2"))
      const tries = yield* Queue.unbounded<string>()
      const fiber = yield* Effect.fork(
        Effect.provide(
          Email.maildir({ directory }, ({ messageId }) =>
            Effect.zipRight(Queue.offer(tries, messageId), Effect.fail("no"))
          ),
          cached(cache)
        )
      )
      for (let time = 0; time < 5; time++) {
        yield* asleep
        yield* TestClock.adjust("5 seconds")
      }
      yield* asleep
      expect(yield* Queue.size(tries)).toBe(3)
      expect(seen(directory, "new")).toEqual(["1", "2"])
      yield* Fiber.interrupt(fiber)
      expect(existsSync(cache) ? filesBelow(cache) : []).toEqual([])
    })
  )

  it.scoped("what was taken and cannot be moved is not handed over again, and moved when it can be", () =>
    Effect.gen(function* () {
      const { cache, directory, into } = yield* made
      into("1", mailOf([text]))
      const inTheWay = join(directory, "cur", "1:2,S")
      mkdirSync(inTheWay)
      const taken = yield* Queue.unbounded<string>()
      const fiber = yield* Effect.fork(
        Effect.provide(
          Email.maildir({ directory }, ({ messageId }) => Queue.offer(taken, messageId)),
          cached(cache)
        )
      )
      for (let time = 0; time < 3; time++) {
        yield* asleep
        yield* TestClock.adjust("5 seconds")
      }
      yield* asleep
      expect([...(yield* Queue.takeAll(taken))]).toHaveLength(1)
      expect(seen(directory, "new")).toEqual(["1"])
      rmdirSync(inTheWay)
      yield* TestClock.adjust("5 seconds")
      yield* asleep
      expect([seen(directory, "new"), seen(directory, "cur")]).toEqual([[], ["1:2,S"]])
      expect(yield* Queue.size(taken)).toBe(0)
      yield* Fiber.interrupt(fiber)
    })
  )

  it.scoped("a directory that is none is told", () =>
    Effect.gen(function* () {
      const root = yield* temporary
      writeFileSync(join(root, "file"), "")
      const error = yield* Effect.flip(
        Effect.provide(
          Email.maildir({ directory: join(root, "file") }, () => Effect.void),
          cached(join(root, "c"))
        )
      )
      expect(error.code).toBe("SETTING_INVALID")
    })
  )
})
