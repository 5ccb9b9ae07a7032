/** Threat: names that are paths, files that are links, sessions that ask for what others were sent. */
import { mkdir, readdir, readFile, rename, stat, symlink, utimes, writeFile } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { describe, expect, it } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import { AttachmentCache } from "../../../src/layers/node/attachments/AttachmentCache.js"
import { temporary } from "./temporary.js"

const PNG = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 1, 2, 3])
const OGG = new TextEncoder().encode("OggS\u0000\u0002 voice")
const text = (content: string) => new TextEncoder().encode(content)

const opened = (directory: string, maxBytes?: number) =>
  Effect.provide(
    AttachmentCache,
    AttachmentCache.layer(maxBytes === undefined ? { directory } : { directory, maxBytes })
  )

const disk = <A>(run: () => Promise<A>) => Effect.promise(run)

const contentOf = (url: string) => disk(() => readFile(fileURLToPath(url)))

const plain = { session: "s1", mimeType: "text/plain" }

describe("writing", () => {
  it.scoped("keeps the bytes, and says what they are", () =>
    Effect.gen(function* () {
      const cache = yield* opened(yield* temporary)
      const cached = yield* cache.write(PNG, {
        session: "s1",
        messageId: "m1",
        filename: "cat.png",
        mimeType: "image/png"
      })
      expect(cached).toEqual({
        type: "image",
        url: cached.url,
        mimeType: "image/png",
        filename: "cat.png",
        sizeBytes: PNG.length
      })
      expect(new Uint8Array(yield* contentOf(cached.url))).toEqual(PNG)
      expect(yield* cache.resolve("s1", cached.url)).toBe(fileURLToPath(cached.url))
      const entries = yield* disk(() => readdir(dirname(fileURLToPath(cached.url))))
      expect(entries).toEqual([basename(fileURLToPath(cached.url))])
    })
  )

  it.scoped("is for the host's eyes only, under a name that tells nothing of the session", () =>
    Effect.gen(function* () {
      const root = join(yield* temporary, "new", "cache")
      const cache = yield* opened(root)
      const { url } = yield* cache.write(text("x"), { ...plain, session: "alice@example.com" })
      const path = fileURLToPath(url)
      const mode = (at: string) =>
        Effect.map(
          disk(() => stat(at)),
          (found) => (found.mode & 0o777).toString(8)
        )
      expect(yield* mode(root)).toBe("700")
      expect(yield* mode(dirname(path))).toBe("700")
      expect(yield* mode(path)).toBe("600")
      expect(basename(dirname(path))).toMatch(/^[0-9a-f]{64}$/)
      expect(path).not.toContain("alice")
    })
  )

  it.scoped("keeps two files of one name apart", () =>
    Effect.gen(function* () {
      const cache = yield* opened(yield* temporary)
      const write = (content: string) =>
        cache.write(text(content), { ...plain, messageId: "m", filename: "a.txt" })
      const urls = yield* Effect.forEach(["1", "2", "3"], (content) => write(content), { concurrency: 3 })
      expect(new Set(urls.map(({ url }) => url)).size).toBe(3)
      for (const [index, { url }] of urls.entries()) {
        expect((yield* contentOf(url)).toString()).toBe(String(index + 1))
      }
    })
  )

  it.scoped("L4/L5/A10/A11: makes a safe name of any, with its extension", () =>
    Effect.gen(function* () {
      const root = yield* temporary
      const cache = yield* opened(root)
      for (const [filename, kept, shown] of [
        ["", "file.txt", undefined],
        [".", "file.txt", undefined],
        ["..", "file.txt", undefined],
        [" ", "file.txt", undefined],
        ["../../x", "x.txt", "x"],
        ["/etc/passwd", "passwd.txt", "passwd"],
        ["C:\\a\\b.txt", "b.txt", "b.txt"],
        ["a\u0000b.txt", "ab.txt", "ab.txt"],
        ["a\nb.txt", "ab.txt", "ab.txt"],
        ["-rf.txt", "rf.txt", "-rf.txt"],
        [".env", "env.txt", ".env"],
        ["写真.TXT", "file.txt", "写真.TXT"],
        ["résumé v2.txt", "re_sume_v2.txt", "résumé v2.txt"],
        ["gpj.\u202Etxt", "gpj.txt", "gpj.txt"],
        [`${"x".repeat(300)}.txt`, `${"x".repeat(48)}.txt`, `${"x".repeat(251)}.txt`],
        ["a.tar.gz", "a_tar.gz", "a.tar.gz"],
        ["x.<script>", "x_script.txt", "x.<script>"]
      ] as const) {
        const cached = yield* cache.write(text("x"), { ...plain, filename })
        const path = fileURLToPath(cached.url)
        expect(dirname(dirname(path))).toBe(root)
        expect([filename, basename(path).replace(/^[0-9a-f]{24}-/, ""), cached.filename]).toEqual([
          filename,
          kept,
          shown
        ])
      }
    })
  )

  it.scoped("O9: an unnamed voice note gets its extension from its type", () =>
    Effect.gen(function* () {
      const cache = yield* opened(yield* temporary)
      const voice = yield* cache.write(OGG, { session: "s", mimeType: "audio/ogg; codecs=opus" })
      expect(voice).toMatchObject({ type: "audio", mimeType: "audio/ogg" })
      expect(voice.filename).toBe(undefined)
      expect(voice.url).toMatch(/\/[0-9a-f]{24}-file\.ogg$/)
    })
  )

  it.scoped("A12: bytes that are not what they are said to be are kept as what they are", () =>
    Effect.gen(function* () {
      const cache = yield* opened(yield* temporary)
      const page = yield* cache.write(text("<html><script>x</script>"), {
        session: "s",
        filename: "cat.png",
        mimeType: "image/png"
      })
      expect(page).toMatchObject({ type: "file", mimeType: "text/html" })
      expect(page.url).toMatch(/-cat\.html$/)
    })
  )

  it.scoped("O4/O8: takes no more than the limit, and counts the bytes itself", () =>
    Effect.gen(function* () {
      const root = yield* temporary
      const cache = yield* opened(root, 10)
      expect((yield* cache.write(text("1234567890"), plain)).sizeBytes).toBe(10)
      const error = yield* Effect.flip(cache.write(text("12345678901"), plain))
      expect(error.message).toBe(
        "ATTACHMENTS_FAILED: the attachment has 11 bytes, more than 10; send a smaller one"
      )
    })
  )

  it.scoped("O4: the limit is 25 MiB unless told", () =>
    Effect.gen(function* () {
      const cache = yield* opened(yield* temporary)
      const error = yield* Effect.flip(cache.write(new Uint8Array(25 * 1024 * 1024 + 1), plain))
      expect(error.code).toBe("ATTACHMENTS_FAILED")
    })
  )

  it.scoped("goes nowhere when the session's directory was made a link", () =>
    Effect.gen(function* () {
      const root = yield* temporary
      const elsewhere = yield* temporary
      const cache = yield* opened(root)
      const { url } = yield* cache.write(text("x"), plain)
      const own = dirname(fileURLToPath(url))
      yield* disk(() => rename(own, join(elsewhere, "moved")))
      yield* disk(() => symlink(join(elsewhere, "moved"), own))
      const error = yield* Effect.flip(cache.write(text("y"), plain))
      expect(error.code).toBe("ATTACHMENTS_FAILED")
      expect(error.message).not.toContain(root)
      expect(yield* disk(() => readdir(join(elsewhere, "moved")))).toHaveLength(1)
      // What was written before is now behind a link, too.
      expect((yield* Effect.flip(cache.resolve("s1", url))).message).toContain("a link")
    })
  )

  it.scoped("says so when the directory cannot be made", () =>
    Effect.gen(function* () {
      const root = yield* temporary
      yield* disk(() => writeFile(join(root, "file"), ""))
      const error = yield* Effect.flip(opened(join(root, "file", "cache")))
      expect(error.message).toMatch(/^ATTACHMENTS_FAILED: .*name another$/)
      expect(error.message).not.toContain(root)
    })
  )
})

describe("resolving", () => {
  it.scoped("L8/A14: is for the session that the file was written for", () =>
    Effect.gen(function* () {
      const cache = yield* opened(yield* temporary)
      const { url } = yield* cache.write(text("x"), plain)
      for (const session of ["s2", "", "S1", "s1 ", "s1\u0000"]) {
        const error = yield* Effect.flip(cache.resolve(session, url))
        expect(error.message).toBe("ATTACHMENTS_FAILED: that is not the URL of a file of this session")
      }
    })
  )

  it.scoped("L7: takes only file URLs of entries", () =>
    Effect.gen(function* () {
      const root = yield* temporary
      const cache = yield* opened(root)
      const { url } = yield* cache.write(text("x"), plain)
      const own = dirname(url)
      yield* disk(() => mkdir(join(fileURLToPath(own), "folder")))
      yield* disk(() => writeFile(join(root, "outside"), "x"))
      for (const bad of [
        url.replace("file:", "http:"),
        url.replace("file://", "https://example.com"),
        url.replace("file://", "file://host"),
        url.replace("file://", ""),
        "file:///etc/passwd",
        `${own}/../outside`,
        `${own}/%2e%2e/outside`,
        `${own}/..%2foutside`,
        `${own}/folder/x`,
        `${own}/`,
        own,
        `${own}/.`,
        `${url}?x`,
        `${url}#x`,
        `${url}%00`,
        pathToFileURL(join(root, "outside")).href,
        ""
      ]) {
        const error = yield* Effect.flip(cache.resolve("s1", bad))
        expect([bad, error.message]).toEqual([
          bad,
          "ATTACHMENTS_FAILED: that is not the URL of a file of this session"
        ])
      }
      expect((yield* Effect.flip(cache.resolve("s1", `${own}/folder`))).message).toContain("not a file")
      expect((yield* Effect.flip(cache.resolve("s1", `${own}/none`))).message).toContain("missing")
    })
  )

  it.scoped("A07: does not follow a link in place of an entry", () =>
    Effect.gen(function* () {
      const root = yield* temporary
      const cache = yield* opened(root)
      const { url } = yield* cache.write(text("x"), plain)
      yield* disk(() => symlink("/etc/passwd", join(dirname(fileURLToPath(url)), "link")))
      const error = yield* Effect.flip(cache.resolve("s1", `${dirname(url)}/link`))
      expect(error.message).toBe("ATTACHMENTS_FAILED: the cached file is a link; have it sent again")
    })
  )

  it.scoped("takes a directory that was named by way of a link", () =>
    Effect.gen(function* () {
      const root = yield* temporary
      yield* disk(() => mkdir(join(root, "real")))
      yield* disk(() => symlink(join(root, "real"), join(root, "alias")))
      const cache = yield* opened(join(root, "alias"))
      const { url } = yield* cache.write(text("x"), plain)
      expect(fileURLToPath(url)).toContain("/real/")
      const alias = url.replace("/real/", "/alias/")
      expect(yield* cache.resolve("s1", alias)).toBe(fileURLToPath(url))
    })
  )
})

describe("forgetting", () => {
  it.scoped("L10: clears one session, and needs nothing to be there", () =>
    Effect.gen(function* () {
      const root = yield* temporary
      const cache = yield* opened(root)
      const mine = yield* cache.write(text("x"), plain)
      const other = yield* cache.write(text("y"), { ...plain, session: "s2" })
      yield* cache.clear("s1")
      yield* cache.clear("s1")
      yield* cache.clear("never")
      expect((yield* Effect.flip(cache.resolve("s1", mine.url))).message).toContain("missing")
      expect(yield* cache.resolve("s2", other.url)).toBe(fileURLToPath(other.url))
      expect(yield* disk(() => readdir(root))).toHaveLength(1)
      expect((yield* cache.write(text("z"), plain)).sizeBytes).toBe(1)
    })
  )

  it.scoped("L11: prunes each file by its own age, and counts", () =>
    Effect.gen(function* () {
      const root = yield* temporary
      const cache = yield* opened(root)
      yield* TestClock.setTime(Date.UTC(2030, 0, 1))
      const old = yield* cache.write(text("old"), plain)
      yield* cache.write(text("alone"), { ...plain, session: "s2" })
      yield* TestClock.adjust("50 minutes")
      const fresh = yield* cache.write(text("fresh"), plain)
      yield* TestClock.adjust("10 minutes")
      expect(yield* cache.pruneOlderThan("1 hour")).toBe(0)
      yield* TestClock.adjust("1 second")
      // The directory's own age is of no account.
      yield* disk(() => utimes(dirname(fileURLToPath(old.url)), 0, 0))
      expect(yield* cache.pruneOlderThan("1 hour")).toBe(2)
      expect((yield* Effect.flip(cache.resolve("s1", old.url))).message).toContain("missing")
      expect(yield* cache.resolve("s1", fresh.url)).toBe(fileURLToPath(fresh.url))
      // A session that has nothing left has no directory left.
      expect(yield* disk(() => readdir(root))).toHaveLength(1)
      expect(yield* cache.pruneOlderThan("1 hour")).toBe(0)
    })
  )

  it.scoped("L12: prunes nothing where nothing is, and nothing that is not its own", () =>
    Effect.gen(function* () {
      const root = yield* temporary
      const elsewhere = yield* temporary
      const cache = yield* opened(root)
      yield* TestClock.setTime(Date.UTC(2100, 0, 1))
      expect(yield* cache.pruneOlderThan(0)).toBe(0)
      yield* disk(() => writeFile(join(elsewhere, "theirs"), "x"))
      yield* disk(() => mkdir(join(root, "notes")))
      yield* disk(() => writeFile(join(root, "notes", "a"), "x"))
      yield* disk(() => symlink(elsewhere, join(root, "f".repeat(64))))
      expect(yield* cache.pruneOlderThan(0)).toBe(0)
      expect(yield* disk(() => readdir(elsewhere))).toEqual(["theirs"])
      expect(yield* disk(() => readdir(join(root, "notes")))).toEqual(["a"])
    })
  )
})
