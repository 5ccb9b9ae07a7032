/** Names of files: one to show, and one to keep it under, which is ASCII and short whatever the sender wrote. */

const extensions: ReadonlyMap<string, string> = new Map([
  ["image/png", "png"],
  ["image/jpeg", "jpg"],
  ["image/gif", "gif"],
  ["image/webp", "webp"],
  ["image/tiff", "tiff"],
  ["image/bmp", "bmp"],
  ["image/x-icon", "ico"],
  ["image/avif", "avif"],
  ["image/heic", "heic"],
  ["image/svg+xml", "svg"],
  ["audio/ogg", "ogg"],
  ["audio/opus", "opus"],
  ["audio/mpeg", "mp3"],
  ["audio/mp4", "m4a"],
  ["audio/x-m4a", "m4a"],
  ["audio/aac", "aac"],
  ["audio/wav", "wav"],
  ["audio/x-wav", "wav"],
  ["audio/flac", "flac"],
  ["audio/amr", "amr"],
  ["audio/webm", "webm"],
  ["video/mp4", "mp4"],
  ["video/webm", "webm"],
  ["application/pdf", "pdf"],
  ["application/zip", "zip"],
  ["application/gzip", "gz"],
  ["application/json", "json"],
  ["application/xml", "xml"],
  ["application/yaml", "yaml"],
  ["application/vnd.openxmlformats-officedocument.wordprocessingml.document", "docx"],
  ["application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "xlsx"],
  ["application/vnd.openxmlformats-officedocument.presentationml.presentation", "pptx"],
  ["text/plain", "txt"],
  ["text/html", "html"],
  ["text/csv", "csv"],
  ["text/markdown", "md"]
])

const extensionOf = (mimeType: string): string => extensions.get(mimeType) ?? "bin"

const SHOWN = 255

/** Characters that are not seen, or that turn round how others are seen. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{DI}]/gu

/** The last part of what the sender wrote, as it can be shown; nothing when nothing is left of it. */
export const shownName = (filename: string | undefined): string | undefined => {
  const last = (filename ?? "").slice(0, 4096).split(/[/\\]/).at(-1) ?? ""
  const seen = last.replace(UNSEEN, "").trim()
  const short = seen.length <= SHOWN ? seen : shortened(seen)
  return short === "" || /^\.+$/.test(short) ? undefined : short
}

/** What is too long keeps its extension. */
const shortened = (name: string): string => {
  const extension = /\.[A-Za-z0-9]{1,16}$/.exec(name)?.[0] ?? ""
  return `${name.slice(0, SHOWN - extension.length).replace(/[\uD800-\uDBFF]$/, "")}${extension}`
}

const STEM = 48

/**
 * A name that every file system takes, with the extension that was sent or, where there is none to be trusted, that of
 * the type. It is no key: what comes before it tells files apart.
 */
export const keptName = (shown: string | undefined, mimeType: string, isTrusted: boolean): string => {
  const [, before = "", after = ""] = /^(.+)\.([A-Za-z0-9]{1,16})$/su.exec(shown ?? "") ?? []
  const stem = (before === "" ? (shown ?? "") : before)
    .normalize("NFKD")
    .replace(/[^A-Za-z0-9_-]+/g, "_")
    .replace(/^[_-]+|[_-]+$/g, "")
    .slice(0, STEM)
  const extension = isTrusted && after !== "" ? after.toLowerCase() : extensionOf(mimeType)
  return `${stem === "" ? "file" : stem}.${extension}`
}
