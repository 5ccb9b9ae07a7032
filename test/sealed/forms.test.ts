/** What is threatened: a signature over something else than what is sent, or one that the tool can take elsewhere. */
import { Buffer } from "node:buffer"
import { createHash, createHmac } from "node:crypto"
import { describe, expect, it } from "@effect/vitest"
import { KEY, rig, sender, VALUE } from "./rig.js"

const API = "https://api.example.com/v1/things"
const anywhere = [{ ...KEY, in: ["header", "query", "body"] }]

const send = async (
  args: Parameters<ReturnType<typeof rig>["run"]>[1],
  { secrets = anywhere as ReadonlyArray<unknown>, values = { KEY: VALUE }, echo = false } = {}
) => {
  const seen: Array<unknown> = []
  const { run, sent } = rig(({ headers }) => ({ json: echo ? headers : {} }), values)
  const result = await run(sender(secrets, "sender", seen), args)
  return { result, seen: JSON.stringify(seen), sent: sent[0] }
}

describe("Basic authentication", () => {
  it.each([
    [{ as: "basic", user: "ada" }, `ada:${VALUE}`],
    [{ as: "basic", user: "" }, `:${VALUE}`],
    [{ as: "basic", password: "" }, `${VALUE}:`],
    [{ as: "basic", password: "x" }, `${VALUE}:x`]
  ])("keeps the value with the host: %j", async (as, plain) => {
    const coded = Buffer.from(plain).toString("base64")
    const { seen, sent } = await send({ url: API, as, headers: { authorization: "Basic @" } }, { echo: true })
    expect(sent?.headers.authorization).toBe(`Basic ${coded}`)
    expect(seen).not.toContain(coded)
    expect(seen).not.toContain(VALUE)
  })

  it.each([
    { as: "basic" },
    { as: "basic", user: "a", password: "b" },
    { as: "basic", user: "a:b" },
    { as: "basic", user: "a\r\nx: y" },
    { as: "bearer" },
    { as: "basic", user: "a", more: 1 }
  ])("is refused where it says nothing or too much: %j", async (as) => {
    const { result, sent } = await send({ url: API, as, headers: { authorization: "Basic @" } })
    expect(result.error).toMatch(/^SEAL_INVALID: /)
    expect(sent).toBeUndefined()
  })
})

describe("an HMAC", () => {
  const signed = async (over: ReadonlyArray<string>, more: object = {}, values = { KEY: VALUE }) => {
    const { result, sent } = await send(
      {
        url: `${API}?b=2&a=1`,
        method: "POST",
        as: { as: "hmac", over, ...more },
        headers: { "X-Signature": "v1=@", "X-Time": "1700000000", "content-type": "application/json" },
        body: '{"a":1}'
      },
      { values }
    )
    return { result, signature: sent?.headers["X-Signature"] }
  }
  const expected = (
    text: string,
    encoding: "hex" | "base64" | "base64url" = "hex",
    hash = "sha256",
    key: string | Buffer = VALUE
  ) => `v1=${createHmac(hash, key).update(text).digest(encoding)}`

  it("is over the request that is sent, part by part", async () => {
    const digest = createHash("sha256").update('{"a":1}').digest("hex")
    expect((await signed(["body"])).signature).toBe(expected('{"a":1}'))
    expect((await signed(["header:x-time", "body"], { join: "." })).signature).toBe(
      expected('1700000000.{"a":1}')
    )
    expect((await signed(["=v0", "header:X-TIME", "body"], { join: ":" })).signature).toBe(
      expected('v0:1700000000:{"a":1}')
    )
    expect((await signed(["method", "path", "query", "body:sha256"], { join: "\n" })).signature).toBe(
      expected(`POST\n/v1/things\nb=2&a=1\n${digest}`)
    )
    expect((await signed(["method", "host", "target"], { join: " " })).signature).toBe(
      expected("POST api.example.com /v1/things?b=2&a=1")
    )
    expect((await signed(["url"])).signature).toBe(expected(`${API}?b=2&a=1`))
  })

  it("has other hashes, encodings and keys", async () => {
    expect((await signed(["body"], { hash: "sha1", encoding: "base64" })).signature).toBe(
      expected('{"a":1}', "base64", "sha1")
    )
    expect((await signed(["body"], { hash: "sha512", encoding: "base64url" })).signature).toBe(
      expected('{"a":1}', "base64url", "sha512")
    )
    const key = Buffer.from("0123456789abcdef0123456789abcdef", "hex")
    const whsec = { KEY: `whsec_${key.toString("base64")}` }
    expect((await signed(["body"], { key: "base64" }, whsec)).signature).toBe(
      expected('{"a":1}', "hex", "sha256", key)
    )
    expect((await signed(["body"], { key: "hex" }, { KEY: key.toString("hex") })).signature).toBe(
      expected('{"a":1}', "hex", "sha256", key)
    )
    expect((await signed(["body"], { key: "hex" })).result.error).toMatch(
      /^SEAL_REFUSED: .*no key of the kind/
    )
  })

  it.each([
    { as: "hmac", over: [] },
    { as: "hmac", over: ["=only"] },
    { as: "hmac", over: ["=bytes that are handed in"] },
    { as: "hmac", over: ["body", `=${"x".repeat(17)}`] },
    { as: "hmac", over: ["body"], join: "handed in" },
    { as: "hmac", over: ["text:anything"] },
    { as: "hmac", over: ["body"], hash: "md5" }
  ])("is over nothing that is handed in: %j", async (as) => {
    const { result } = await send({ url: API, as, headers: { "x-signature": "@" } })
    expect(result.error).toMatch(/^SEAL_INVALID: /)
  })

  it("is over what other secrets are by then, and stands in a header alone", async () => {
    const as = { as: "hmac", over: ["body"] }
    for (const args of [
      { url: `${API}?s=@`, as },
      { url: API, method: "POST", as, body: "@" },
      { url: API, as: { as: "hmac", over: ["header:x-signature"] }, headers: { "x-signature": "@" } }
    ]) {
      const { result, sent } = await send(args)
      expect(result.error).toMatch(/^SEAL_REFUSED: /)
      expect(sent).toBeUndefined()
    }
  })

  it("follows no redirect, and does not come back", async () => {
    const { seen, sent } = await send(
      { url: API, as: { as: "hmac", over: ["method"] }, headers: { "x-signature": "@" } },
      { echo: true }
    )
    expect(sent?.redirects).toBe("none")
    expect(seen).not.toContain(createHmac("sha256", VALUE).update("GET").digest("hex"))
  })
})

describe("a signature of AWS", () => {
  const s3 = [{ ref: "KEY", hosts: ["examplebucket.s3.amazonaws.com"], in: ["header:authorization"] }]
  const values = { KEY: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY" }
  const as = { as: "aws4", accessKeyId: "AKIAIOSFODNN7EXAMPLE", region: "us-east-1", service: "s3" }

  // The examples of the documentation of S3.
  it.each([
    ["?lifecycle", "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"],
    ["?max-keys=2&prefix=J", "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"]
  ])("is that of the example: %s", async (query, signature) => {
    const { result, sent } = await send(
      { url: `https://examplebucket.s3.amazonaws.com/${query}`, as, headers: { authorization: "@" } },
      { secrets: s3, values }
    )
    expect(result.error).toBe("")
    expect(sent?.headers).toEqual({
      authorization: `AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, SignedHeaders=host;x-amz-content-sha256;x-amz-date, Signature=${signature}`,
      "x-amz-content-sha256": createHash("sha256").update("").digest("hex"),
      "x-amz-date": "20130524T000000Z"
    })
  })

  const expected = (service: string, host: string, path: string, query: string, secret: string) => {
    const hash = (text: string) => createHash("sha256").update(text).digest("hex")
    const names = "host;x-amz-content-sha256;x-amz-date"
    const headers = `host:${host}\nx-amz-content-sha256:${hash("")}\nx-amz-date:20130524T000000Z\n`
    const scope = `20130524/us-east-1/${service}/aws4_request`
    const canonical = ["GET", path, query, headers, names, hash("")].join("\n")
    const toSign = ["AWS4-HMAC-SHA256", "20130524T000000Z", scope, hash(canonical)].join("\n")
    const key = scope
      .split("/")
      .reduce((made, step) => createHmac("sha256", made).update(step).digest(), Buffer.from(`AWS4${secret}`))
    const signature = createHmac("sha256", key).update(toSign).digest("hex")
    return `AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/${scope}, SignedHeaders=${names}, Signature=${signature}`
  }

  // How paths and queries are written in the test suite of AWS, as in awslabs/aws-c-auth.
  it.each([
    ["/", "/", ""],
    ["//example//", "/example/", ""],
    ["/example/..", "/", ""],
    ["/./example", "/example", ""],
    ["/-._~$", "/-._~%24", ""],
    ["/?Param2=value2&Param1=value1", "/", "Param1=value1&Param2=value2"],
    ["/?a-b=1&a=2&&a=1=%3D&a", "/", "a=&a=1%3D%3D&a=2&a-b=1"],
    ["/?\u1234=bar", "/", "%E1%88%B4=bar"],
    ["/?Param-3=Value3&Param=Value2&%E1%88%B4=Value1", "/", "%E1%88%B4=Value1&Param=Value2&Param-3=Value3"]
  ])("is over a path and a query as others write them: %s", async (target, path, query) => {
    const host = "example.amazonaws.com"
    const secret = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
    const { sent } = await send(
      {
        url: `https://${host}${target}`,
        as: { ...as, service: "service" },
        headers: { authorization: "@" }
      },
      { secrets: [{ ref: "KEY", hosts: [host] }], values: { KEY: secret } }
    )
    expect(sent?.headers.authorization).toBe(expected("service", host, path, query, secret))
  })

  // The first is the path of "PUT Object" in the documentation of S3, whose signature is over a header Date, too.
  it.each([
    ["/test$file.text", "/test%24file.text"],
    ["/test%24file.text", "/test%24file.text"],
    ["/dt=2024-01-01/part(1),a%40b.parquet", "/dt%3D2024-01-01/part%281%29%2Ca%40b.parquet"],
    ["/a b/\u00e9/%7Eme%2Fx%252F/-._~", "/a%20b/%C3%A9/~me/x%252F/-._~"],
    ["/c++/a%2bb:*!'", "/c%2B%2B/a%2Bb%3A%2A%21%27"],
    ["//b//c/", "//b//c/"]
  ])("is over the key of an object as S3 writes it: %s", async (target, path) => {
    const host = "examplebucket.s3.amazonaws.com"
    const { sent } = await send(
      { url: `https://${host}${target}`, as, headers: { authorization: "@" } },
      { secrets: s3, values }
    )
    expect(sent?.headers.authorization).toBe(expected("s3", host, path, "", values.KEY))
  })

  it("covers the body that is sent, whatever the tool says of it", async () => {
    const { sent } = await send(
      {
        url: "https://examplebucket.s3.amazonaws.com/x",
        method: "PUT",
        as,
        headers: { authorization: "@", "x-amz-content-sha256": "UNSIGNED-PAYLOAD" },
        body: "all of it"
      },
      { secrets: s3, values }
    )
    expect(sent?.headers["x-amz-content-sha256"]).toBe(createHash("sha256").update("all of it").digest("hex"))
  })
})
