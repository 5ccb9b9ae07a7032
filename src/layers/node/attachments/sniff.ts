/** What bytes are, by how they begin: what a sender says of them may be a mistake, or a lie. */
import { bareType, isTextual, kindOf } from "../../../capabilities/attachments/Mime.js"

const starts = (bytes: Uint8Array, at: number, ...wanted: ReadonlyArray<string | number>): boolean => {
  const codes = wanted.flatMap((one) =>
    typeof one === "number" ? [one] : Array.from(one, (c) => c.charCodeAt(0))
  )
  return codes.every((code, index) => bytes[at + index] === code)
}

interface Sign {
  readonly type: string
  readonly matches: (bytes: Uint8Array) => boolean
}

const sign = (type: string, ...wanted: ReadonlyArray<string | number>): Sign => ({
  type,
  matches: (bytes) => starts(bytes, 0, ...wanted)
})

const riff = (type: string, form: string): Sign => ({
  type,
  matches: (bytes) => starts(bytes, 0, "RIFF") && starts(bytes, 8, form)
})

const brand = (type: string, ...brands: ReadonlyArray<string>): Sign => ({
  type,
  matches: (bytes) => starts(bytes, 4, "ftyp") && brands.some((one) => starts(bytes, 8, one))
})

const signs: ReadonlyArray<Sign> = [
  sign("image/png", 0x89, "PNG\r\n", 0x1a, "\n"),
  sign("image/jpeg", 0xff, 0xd8, 0xff),
  sign("image/gif", "GIF87a"),
  sign("image/gif", "GIF89a"),
  riff("image/webp", "WEBP"),
  sign("image/tiff", "II*", 0),
  sign("image/tiff", "MM", 0, "*"),
  { type: "image/bmp", matches: (bytes) => starts(bytes, 0, "BM") && starts(bytes, 6, 0, 0, 0, 0) },
  sign("image/x-icon", 0, 0, 1, 0),
  brand("image/avif", "avif", "avis"),
  brand("image/heic", "heic", "heix", "hevc", "mif1", "msf1"),
  riff("audio/wav", "WAVE"),
  { type: "audio/mpeg", matches: (bytes) => starts(bytes, 0, "ID3") && (bytes[3] ?? 255) < 16 },
  { type: "audio/mpeg", matches: ([first, second = 0]) => first === 0xff && (second & 0xe6) === 0xe2 },
  { type: "audio/aac", matches: ([first, second = 0]) => first === 0xff && (second & 0xf6) === 0xf0 },
  sign("audio/flac", "fLaC"),
  sign("audio/amr", "#!AMR"),
  sign("audio/ogg", "OggS"),
  brand("audio/mp4", "M4A", "M4B"),
  brand("video/mp4", ""),
  sign("video/webm", 0x1a, 0x45, 0xdf, 0xa3),
  sign("application/pdf", "%PDF-"),
  sign("application/zip", "PK", 3, 4),
  sign("application/zip", "PK", 5, 6),
  sign("application/gzip", 0x1f, 0x8b),
  sign("application/x-7z-compressed", "7z", 0xbc, 0xaf, 0x27, 0x1c),
  sign("application/vnd.rar", "Rar!", 0x1a, 7),
  sign("application/x-elf", 0x7f, "ELF"),
  {
    type: "application/x-msdownload",
    matches: (bytes) => starts(bytes, 0, "MZ") && bytes.subarray(0, 64).includes(0)
  }
]

const signed = new Set(signs.map(({ type }) => type))

/** Other names of the same, and what is kept in the same wrapping: said so, it is believed. */
const compatible: ReadonlyMap<string, RegExp> = new Map([
  ["image/jpeg", /^image\/(?:jpg|pjpeg)$/],
  ["image/x-icon", /^image\/vnd\.microsoft\.icon$/],
  ["image/heic", /^image\/heif$/],
  ["image/bmp", /^image\/x-ms-bmp$/],
  ["audio/wav", /^audio\/(?:x-wav|wave|vnd\.wave)$/],
  ["audio/mpeg", /^audio\/(?:mp3|x-mp3|mpeg3)$/],
  ["audio/aac", /^audio\/(?:aacp|x-aac)$/],
  ["audio/flac", /^audio\/x-flac$/],
  ["audio/mp4", /^(?:audio\/(?:m4a|x-m4a|x-m4b)|video\/mp4)$/],
  ["audio/ogg", /^(?:audio\/(?:opus|vorbis|x-ogg)|video\/ogg|application\/ogg)$/],
  ["video/mp4", /^(?:audio\/(?:mp4|m4a|x-m4a|3gpp)|video\/)/],
  ["video/webm", /^(?:audio\/webm|video\/|audio\/x-matroska)/],
  ["application/zip", /^application\/(?:vnd\.|java-archive|epub\+zip|x-zip)/],
  ["application/gzip", /^application\/(?:x-gzip|x-tar|x-gtar)/]
])

const looksLikeText = (bytes: Uint8Array): boolean => {
  const start = bytes.subarray(0, 4096)
  if (start.includes(0)) return false
  // The end of a part may be the middle of a character.
  return new TextDecoder("utf-8").decode(start).slice(0, -4).includes("\uFFFD") === false
}

const markupOf = (bytes: Uint8Array): string | undefined => {
  const start = new TextDecoder("latin1")
    .decode(bytes.subarray(0, 1024))
    .replace(/^\u00EF\u00BB\u00BF/, "")
    .trimStart()
    .toLowerCase()
  if (
    /^<(?:!doctype html|html|head|body|script|iframe|h1|div|font|table|a |style|title|p>|br|!--)/.test(start)
  ) {
    return "text/html"
  }
  if (start.startsWith("<svg") || (start.startsWith("<?xml") && start.includes("<svg")))
    return "image/svg+xml"
  return start.startsWith("<?xml") ? "application/xml" : undefined
}

/**
 * The type to go by. Bytes that bear a sign are what it says, unless what was said is kept in the same wrapping; and
 * what was said to be of a type that bears a sign, and bears none, is not taken for it.
 */
export const realType = (bytes: Uint8Array, declared: string): string => {
  const said = bareType(declared)
  const found = signs.find(({ matches }) => matches(bytes))?.type
  if (found !== undefined) return compatible.get(found)?.test(said) === true ? said : found
  if (isTextual(said) && kindOf(said) === "file") return said
  if (bytes.length > 0 && looksLikeText(bytes)) return markupOf(bytes) ?? "text/plain"
  return signed.has(said) ? "application/octet-stream" : said
}
