import { describe, expect, it } from "@effect/vitest"
import { Effect, Encoding, Schema } from "effect"
import { Network } from "../../../src/capabilities/network/Network.js"
import * as Authority from "../../../src/policy/lattice/Authority.js"
import * as TestNetwork from "../../../src/testing/TestNetwork.js"
import * as Tool from "../../../src/tools/Tool.js"
import { deep } from "../../deep.js"
import { ways } from "./ways.js"

describe.each(ways)("built-in tools %s", (_, { webFetch }) => {
  const URL = "https://a.com/x/"
  const HTML = { "Content-Type": "text/html; charset=utf-8" }

  const fetched = (answer: Network.MockResponse, args: Partial<Tool.Args<typeof webFetch>> = {}) =>
    Tool.run(webFetch, { url: URL, ...args }).pipe(Effect.provide(Network.mock(() => answer)))

  const read = (html: string) =>
    Effect.map(fetched({ headers: HTML, text: html }), ({ content }) => String(content))

  const latin1 = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0))

  describe("web_fetch", () => {
    it.effect("sends what it is given, and nothing more", () =>
      Effect.gen(function* () {
        const network = TestNetwork.recording(() => "ok")
        const send = (args: Omit<Tool.Args<typeof webFetch>, "url">) =>
          Tool.run(webFetch, { url: URL, ...args }).pipe(Effect.provide(network.layer))
        yield* send({})
        yield* send({ method: "POST", headers: { "x-a": "1" }, body: "é" })
        expect(yield* network.calls).toEqual([
          { operation: "request", payload: { method: "GET", url: URL, headers: {} } },
          {
            operation: "request",
            payload: {
              method: "POST",
              url: URL,
              headers: { "x-a": "1" },
              body: new TextEncoder().encode("é")
            }
          }
        ])
      })
    )

    it.effect("answers with status and with the headers that help, none that carry a session", () =>
      Effect.gen(function* () {
        const headers = { "Content-Type": "text/plain", "Set-Cookie": "sid=1", ETag: '"v1"', "X-Token": "t" }
        expect(yield* fetched({ status: 404, headers, text: "gone" })).toEqual({
          status: 404,
          url: URL,
          headers: { "content-type": "text/plain", etag: '"v1"' },
          content: "gone"
        })
        expect(yield* fetched({ status: 204 })).toMatchObject({ status: 204, content: "" })
      })
    )

    it.effect("parses JSON, or says that it is none", () =>
      Effect.gen(function* () {
        expect(yield* fetched({ json: { a: [1, null] } }, { as: "json" })).toMatchObject({
          content: { a: [1, null] }
        })
        expect(yield* fetched({ status: 500, json: { error: 1 } }, { as: "json" })).toMatchObject({
          status: 500,
          content: { error: 1 }
        })
        expect(
          yield* fetched({ status: 502, headers: HTML, text: "<h1>Bad gateway</h1>" }, { as: "json" })
        ).toMatchObject({ status: 502, content: "# Bad gateway", note: "the answer is not JSON" })
        expect((yield* fetched({ status: 204 }, { as: "json" })).content).toBe(null)
        const error = yield* Effect.flip(
          fetched("<p>secret</p>", { as: "json", url: "https://a.com/x?token=secret" })
        )
        expect(error.message).toBe(
          "DECODE_FAILED: the answer of https://a.com/x is not JSON; ask with as text"
        )
      })
    )

    it.effect("gives the raw body as it is, in base64 where it is not text", () =>
      Effect.gen(function* () {
        const page = "<b>é</b>\r\n"
        expect(yield* fetched({ headers: HTML, text: page }, { as: "raw" })).toMatchObject({
          content: page,
          encoding: "utf8"
        })
        const bytes = new Uint8Array([0, 255, 137])
        expect(yield* fetched(bytes, { as: "raw" })).toMatchObject({
          content: Encoding.encodeBase64(bytes),
          encoding: "base64"
        })
      })
    )

    it.effect("does not give bytes as text", () =>
      Effect.gen(function* () {
        for (const answer of [
          { headers: { "content-type": "image/png" }, text: "abc" },
          { headers: { "content-type": "application/pdf" }, text: "abc" },
          { headers: {}, body: new Uint8Array([97, 0, 98]) }
        ]) {
          expect(yield* fetched(answer)).toMatchObject({
            content: "",
            note: "this is not text but 3 bytes; ask with as raw for base64"
          })
        }
        const svg = { headers: { "content-type": "image/svg+xml" }, text: "<svg/>" }
        expect((yield* fetched(svg)).content).toBe("<svg/>")
      })
    )

    it.effect("reads the character set from the header, a mark, or the page", () =>
      Effect.gen(function* () {
        const content = (body: Uint8Array, type: string) =>
          Effect.map(fetched({ headers: { "content-type": type }, body }), (answer) => answer.content)
        const cafe = latin1("caf\xe9")
        expect(yield* content(cafe, "text/plain; charset=ISO-8859-1")).toBe("café")
        expect(yield* content(cafe, 'text/plain; charset="latin1"')).toBe("café")
        expect(yield* content(cafe, "text/plain; charset=no-such")).toBe("caf\uFFFD")
        expect(yield* content(latin1('<meta charset="windows-1252"><p>caf\xe9 \x80'), "text/html")).toBe(
          "café €"
        )
        expect(
          yield* content(
            latin1('<meta http-equiv="Content-Type" content="text/html; charset=iso-8859-1">caf\xe9'),
            "text/html"
          )
        ).toBe("café")
        expect(yield* content(new Uint8Array([0xff, 0xfe, 0x61, 0, 0xe9, 0]), "text/plain")).toBe("aé")
        expect(yield* content(new TextEncoder().encode("\uFEFFé"), "text/plain; charset=latin1")).toBe("é")
      })
    )

    it.effect("says where text is not what its character set says, and how to get the bytes", () =>
      Effect.gen(function* () {
        const noteOf = (body: Uint8Array, type: string, as?: "json") =>
          Effect.map(
            fetched({ headers: { "content-type": type }, body }, as === undefined ? {} : { as }),
            (answer) => answer.note
          )
        const cafe = latin1("caf\xe9")
        const bytes = "U+FFFD stands for what could not be read; ask with as raw for the bytes"
        expect(yield* noteOf(cafe, "text/plain")).toBe(`it is not all utf-8; ${bytes}`)
        expect(yield* noteOf(cafe, "text/html")).toBe(`it is not all utf-8; ${bytes}`)
        expect(yield* noteOf(cafe, "text/plain; charset=no-such")).toBe(
          `its character set is not known, and it is not UTF-8; ${bytes}`
        )
        expect(yield* noteOf(latin1('"caf\xe9"'), "application/json", "json")).toBe(
          `it is not all utf-8; ${bytes}`
        )
        expect(yield* noteOf(new TextEncoder().encode("caf\u00e9 \uFFFD"), "text/plain")).toBeUndefined()
        expect(yield* noteOf(cafe, "text/plain; charset=latin1")).toBeUndefined()
      })
    )

    it.effect("is refused hosts and methods that the authority does not hold", () =>
      Effect.gen(function* () {
        const message = (args: Tool.Args<typeof webFetch>) =>
          Effect.map(Effect.flip(Tool.run(webFetch, args)), (error) => error.message)
        expect(yield* message({ url: "https://evil.com/" })).toMatch(/^HOST_NOT_ALLOWED: /)
        expect(yield* message({ url: URL, method: "DELETE" })).toMatch(/NOT_ALLOWED: /)
        expect(yield* message({ url: "file:///etc/passwd" })).toMatch(/^URL_INVALID: /)
        expect(yield* Tool.run(webFetch, { url: URL })).toMatchObject({ content: "ok" })
      }).pipe(
        Effect.provide(
          TestNetwork.layerMemory(
            Schema.decodeSync(Authority.FromJson)({ network: { get: ["a.com"] } }),
            () => "ok"
          )
        )
      )
    )
  })

  describe("a page as text", () => {
    it.effect("has title, headings, paragraphs, lists, tables and links", () =>
      Effect.gen(function* () {
        const answer = yield* fetched({
          headers: HTML,
          text: `<!doctype html><html><head><title> The &amp; title </title><style>p { }</style></head><body>
          <nav><a href="/">Home</a></nav>
          <h1>Big   news</h1><p>First <b>bold</b>,
          then&nbsp;<a href="../y?q=1&amp;r=2">a link</a>.</p><p>Second<br>line</p>
          <ul><li>one<li><p>two</p><ol><li>inner</li><li>next</li></ol></li></ul>
          <table><tr><th>A</th><th>B</th></tr><tr><td><p>1</p></td><td></td><td>3</td></tr></table>
          <pre>  x
    y</pre><img alt="A cat"><script>alert("no")</script><a href="javascript:x()">js</a></body></html>`
        })
        expect(answer.title).toBe("The & title")
        expect(answer.content).toBe(
          [
            "# Big news",
            "",
            "First bold, then a link (https://a.com/y?q=1&r=2).",
            "",
            "Second",
            "line",
            "",
            "- one",
            "- two",
            "",
            "  1. inner",
            "  2. next",
            "",
            "A | B",
            "1 |  | 3",
            "",
            "  x",
            "    y",
            "",
            "[image: A cat] js"
          ].join("\n")
        )
      })
    )

    it.effect("leaves out what nobody is shown, and no more than that", () =>
      Effect.gen(function* () {
        expect(yield* read('<div hidden>no</div><div style="display : none">no</div>yes')).toBe("yes")
        expect(yield* read('<p hidden>no<p>yes<span aria-hidden="true">no</span>')).toBe("yes")
        expect(yield* read("<input hidden>yes<br hidden>")).toBe("yes")
        expect(yield* read("<div><nav>no<ul><li>no</ul></div>yes")).toBe("yes")
        expect(yield* read("<nav>no <nav>no</nav> no</nav>yes")).toBe("yes")
        expect(yield* read("<nav>no<main>yes</main>")).toBe("yes")
        expect(yield* read("<script>if (a < b) '<p>no</p>'</script>yes<!-- no -->")).toBe("yes")
        expect(yield* read("<svg><style>no</style><title>no</title><path/>no</svg>yes")).toBe("yes")
        expect(yield* read("<template>no</template><noscript>no</noscript>yes")).toBe("yes")
      })
    )

    it.effect("decodes entities once", () =>
      Effect.gen(function* () {
        expect(yield* read("&lt;b&gt; &amp;lt; &#233; &#x1F600; &notanentity; &copy")).toBe(
          "<b> &lt; é 😀 ¬anentity; ©"
        )
        expect(yield* read("a&amp;b&nbsp;c")).toBe("a&b c")
      })
    )

    it.effect("takes links from the base of the page", () =>
      Effect.gen(function* () {
        expect(yield* read('<base href="https://b.com/d/"><a href="e">l</a>')).toBe("l (https://b.com/d/e)")
        expect(yield* read('<a href="#top">l</a> <a>m</a> <a href="http://[">n</a> <a href="/o"></a>')).toBe(
          "l m n"
        )
      })
    )

    it.effect("is cut at a limit, between characters, and says so", () =>
      Effect.gen(function* () {
        const answer = yield* fetched({ headers: HTML, text: `<p>${"😀".repeat(100_001)}` })
        expect(answer.truncated).toBe(true)
        expect(String(answer.content)).toBe("😀".repeat(100_000))
      })
    )

    it.effect("is not read to its end when it is larger than any page", () =>
      Effect.gen(function* () {
        const answer = yield* fetched({ headers: HTML, text: `start${"<b>".repeat(1_700_000)} end` })
        expect(answer).toMatchObject({ content: "start", truncated: true })
      })
    )

    /** Each would take minutes where the work grows with the square of the length. */
    it.effect("is read in one pass, however it is nested", () =>
      Effect.gen(function* () {
        const n = deep ? 200_000 : 40_000
        for (const html of [
          "<div>".repeat(n),
          `${"<div>".repeat(n)}${"</p>".repeat(n)}`,
          `${"<b>".repeat(n)}${"</i>".repeat(n)}`,
          `${"<nav>".repeat(n)}${"</div>".repeat(n)}`,
          `${"<ul><li>".repeat(n)}`,
          `<a ${"b ".repeat(n)}`,
          `<a ${"href='x' ".repeat(n)}>x</a>`,
          `<a href="${"x".repeat(5 * n)}">x</a>`,
          `<a href="${"&amp;".repeat(n)}">x</a>`,
          "&".repeat(n),
          "&#".repeat(n),
          "<".repeat(n),
          "<!--".repeat(n),
          "<![CDATA[".repeat(n),
          `<script>${"</scrip".repeat(n)}`,
          `<td>`.repeat(n),
          `<title>${"<title>".repeat(n)}`,
          "<svg><title>".repeat(n)
        ]) {
          expect(typeof (yield* read(`${html} end`))).toBe("string")
        }
      })
    )
  })
})
