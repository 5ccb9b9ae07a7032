import { describe, expect, it } from "vitest"
import { bareType, isTextual, kindOf } from "../../../src/capabilities/attachments/Mime.js"
import { realType } from "../../../src/layers/node/attachments/sniff.js"

const bytes = (...parts: ReadonlyArray<string | number>) =>
  Uint8Array.from(
    parts.flatMap((one) => (typeof one === "number" ? [one] : [...one].map((c) => c.charCodeAt(0))))
  )

const PNG = bytes(0x89, "PNG\r\n", 0x1a, "\n", 0, 0)
const ZIP = bytes("PK", 3, 4, 0, 0)

describe("media types", () => {
  it("N14: parameters, case and blanks are of no account", () => {
    expect(bareType("image/png; a=b")).toBe("image/png")
    expect(bareType(" IMAGE/PNG ;x")).toBe("image/png")
    expect(kindOf("image/png; a=b")).toBe("image")
    expect(isTextual("text/csv;charset=utf-8")).toBe(true)
  })

  it("what is no type is bytes", () => {
    for (const bad of [
      "",
      "png",
      "image/",
      "/png",
      "a/b/c",
      "image/png\n",
      "im age/png",
      '"image/png"',
      "../x"
    ]) {
      expect([bad, bareType(bad.includes("\n") ? `x${bad}/` : bad)]).toEqual([
        bad,
        "application/octet-stream"
      ])
    }
  })

  it("O2: images and sounds are kinds of their own, and all else is a file", () => {
    expect(
      ["image/jpeg", "audio/ogg", "application/pdf", "video/mp4", "text/plain", "image/svg+xml", ""].map(
        kindOf
      )
    ).toEqual(["image", "audio", "file", "file", "file", "file", "file"])
  })
})

describe("A12: the type to go by", () => {
  const cases: ReadonlyArray<readonly [name: string, bytes: Uint8Array, said: string, real: string]> = [
    ["what it says", PNG, "image/png", "image/png"],
    ["a page", bytes("<!DOCTYPE html><p>"), "image/png", "text/html"],
    ["a page after blanks", bytes("\n  <script>x</script>"), "image/jpeg", "text/html"],
    ["a drawing that can hold a program", bytes("<svg onload='x'>"), "image/png", "image/svg+xml"],
    ["the same with a prolog", bytes('<?xml version="1.0"?><svg>'), "image/png", "image/svg+xml"],
    ["words", bytes("hello"), "image/gif", "text/plain"],
    ["an archive", ZIP, "image/png", "application/zip"],
    [
      "a document in an archive",
      ZIP,
      "application/vnd.oasis.opendocument.text",
      "application/vnd.oasis.opendocument.text"
    ],
    ["noise", bytes(1, 2, 0, 255), "image/png", "application/octet-stream"],
    ["noise said to be sound", bytes(1, 2, 0, 255), "audio/mpeg", "application/octet-stream"],
    ["nothing at all", bytes(), "image/png", "application/octet-stream"],
    ["an image by another name", bytes(0xff, 0xd8, 0xff, 0xe0), "image/jpg", "image/jpg"],
    ["another image", bytes("GIF89a", 1), "image/png", "image/gif"],
    ["an image said to be text", PNG, "text/plain", "image/png"],
    ["an image said to be bytes", PNG, "application/octet-stream", "image/png"],
    ["text said to be bytes", bytes("a,b\n"), "application/octet-stream", "text/plain"],
    ["a program", bytes("MZ", 0x90, 0, 3, 0), "image/bmp", "application/x-msdownload"],
    ["words that begin like one", bytes("MZ is short for"), "text/plain", "text/plain"],
    ["a page said to be text", bytes("<html>"), "text/plain", "text/plain"],
    ["data", bytes("{}"), "application/json", "application/json"],
    ["a voice note", bytes("OggS", 0), "audio/opus", "audio/opus"],
    ["a voice note as video", bytes("OggS", 0), "image/png", "audio/ogg"],
    ["sound with tags", bytes("ID3", 4, 0), "audio/mp3", "audio/mp3"],
    ["sound without", bytes(0xff, 0xfb, 0x90, 0), "audio/mpeg", "audio/mpeg"],
    ["a recording", bytes(0, 0, 0, 24, "ftypM4A ", 0), "audio/x-m4a", "audio/x-m4a"],
    ["a film said to be an image", bytes(0, 0, 0, 24, "ftypisom", 0), "image/png", "video/mp4"],
    ["a photo of a phone", bytes(0, 0, 0, 24, "ftypheic", 0), "image/heif", "image/heif"],
    ["a wave", bytes("RIFF", 1, 2, 3, 4, "WAVE"), "audio/x-wav", "audio/x-wav"],
    ["a picture in the same wrapping", bytes("RIFF", 1, 2, 3, 4, "WEBP"), "audio/wav", "image/webp"],
    ["a paper", bytes("%PDF-1.7"), "image/png", "application/pdf"],
    ["what nothing is known of", bytes(0, 1, 2, 200), "image/jxl", "image/jxl"]
  ]
  for (const [name, given, said, real] of cases) {
    it(`${name}: said ${said}, is ${real}`, () => expect(realType(given, said)).toBe(real))
  }
})
