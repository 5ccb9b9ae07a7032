/** A file tree in memory, for `Files.mock`: what Node would answer, without links, owners or modes. */
import { Effect } from "effect"
import { bytesOf, textOf } from "../bytes.js"

interface Entry {
  /** `undefined` for a directory. */
  readonly content: Uint8Array | undefined
  readonly modifiedMillis: number
}

const normal = (path: string): string => {
  const kept: Array<string> = []
  for (const segment of path.split("/")) {
    if (segment === "..") kept.pop()
    else if (segment !== "" && segment !== ".") kept.push(segment)
  }
  return path.startsWith("~") ? kept.join("/") : `/${kept.join("/")}`
}

const parentOf = (path: string): string | undefined => {
  const at = path.lastIndexOf("/")
  if (path === "/" || at === -1) return undefined
  return at === 0 ? "/" : path.slice(0, at)
}

interface At {
  readonly path: string
}

interface Below extends At {
  readonly recursive: boolean
}

interface Query {
  readonly pattern: string
  readonly glob?: string
  readonly limit?: number
}

const expression = (pattern: string): RegExp | undefined => {
  try {
    return new RegExp(pattern, "u")
  } catch {
    return undefined
  }
}

/** `**` alone between slashes is any depth, none included; at the end it is whatever lies below. */
const globbed = (glob: string): string =>
  glob
    .split("/")
    .map((segment, at, all) =>
      segment === "**"
        ? at === all.length - 1
          ? ".+"
          : "(?:[^/]+/)*"
        : `${segment
            .replace(/[.+^${}()|[\]\\]/g, "\\$&")
            .replaceAll("*", "[^/]*")
            .replaceAll("?", "[^/]")}${at === all.length - 1 ? "" : "/"}`
    )
    .join("")

/** A line break ends a line, and begins no other. */
const linesOf = (text: string): ReadonlyArray<string> => {
  const lines = text.split(/\r?\n/)
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines
}

const joined = (before: Uint8Array = new Uint8Array(), after: Uint8Array): Uint8Array => {
  const whole = new Uint8Array(before.length + after.length)
  whole.set(before)
  whole.set(after, before.length)
  return whole
}

type Code = "NOT_FOUND" | "ALREADY_EXISTS" | "NOT_A_FILE" | "NOT_A_DIRECTORY" | "FILES_FAILED"

export const memoryTree = <E>(
  files: Readonly<Record<string, string | Uint8Array>> | ReadonlyMap<string, string | Uint8Array>,
  fail: (code: Code, detail: string) => Effect.Effect<never, E>
) => {
  const failed = (code: Code, path: string, words: string) => fail(code, `${path} ${words}`)
  const entries = new Map<string, Entry>([
    ["/", { content: undefined, modifiedMillis: 0 }],
    ["~", { content: undefined, modifiedMillis: 0 }]
  ])
  const makeAll = (path: string | undefined) => {
    for (let at = path; at !== undefined && !entries.has(at); at = parentOf(at)) {
      entries.set(at, { content: undefined, modifiedMillis: 0 })
    }
  }
  for (const [path, content] of files instanceof Map ? files : Object.entries(files)) {
    makeAll(parentOf(normal(path)))
    entries.set(normal(path), { content: bytesOf(content), modifiedMillis: 0 })
  }

  const under = (path: string) =>
    [...entries.keys()].filter((key) => key !== path && key.startsWith(path === "/" ? "/" : `${path}/`))

  const lookup = (path: string) =>
    Effect.suspend(() => {
      const entry = entries.get(normal(path))
      return entry === undefined ? failed("NOT_FOUND", path, "does not exist") : Effect.succeed(entry)
    })

  /** Fails unless the parent is a directory. */
  const place = (path: string) => {
    const parent = parentOf(normal(path))
    const entry = parent === undefined ? undefined : entries.get(parent)
    if (entry === undefined) return failed("NOT_FOUND", path, "has no directory above it")
    return entry.content === undefined ? undefined : failed("NOT_A_DIRECTORY", path, "lies under a file")
  }

  let temporaries = 0

  const listed = (path: string) =>
    Effect.flatMap(lookup(path), ({ content }) => {
      if (content !== undefined) return failed("NOT_A_DIRECTORY", path, "is a file")
      const parent = normal(path)
      const children = under(parent).filter((key) => parentOf(key) === parent)
      return Effect.succeed(children.map((key) => key.slice(key.lastIndexOf("/") + 1)).sort())
    })

  /** Fails unless the one may go where the other is. */
  const collision = (from: string, to: string, replace: boolean) => {
    const [moved, there] = [entries.get(normal(from)), entries.get(normal(to))]
    if (`${normal(to)}/`.startsWith(`${normal(from)}/`) && normal(to) !== normal(from))
      return failed("FILES_FAILED", from, "cannot be moved into itself")
    if (there === undefined || there === moved) return undefined
    if (!replace || moved?.content === undefined) return failed("ALREADY_EXISTS", to, "already exists")
    return there.content === undefined ? failed("NOT_A_FILE", to, "is a directory") : undefined
  }

  const set = (path: string, content: Uint8Array | undefined) =>
    Effect.map(Effect.clock, (clock) => {
      entries.set(normal(path), { content, modifiedMillis: clock.unsafeCurrentTimeMillis() })
    })

  return {
    readBytes: ({ length, offset = 0, path }: At & { readonly offset?: number; readonly length?: number }) =>
      Effect.flatMap(lookup(path), ({ content }) =>
        content === undefined
          ? failed("NOT_A_FILE", path, "is a directory")
          : Effect.succeed(content.slice(offset, length === undefined ? undefined : offset + length))
      ),
    writeBytes: ({ path, content }: At & { readonly content: Uint8Array }) =>
      Effect.suspend((): Effect.Effect<void, E> => {
        const entry = entries.get(normal(path))
        if (entry !== undefined && entry.content === undefined)
          return failed("NOT_A_FILE", path, "is a directory")
        return place(path) ?? set(path, content.slice())
      }),
    appendBytes: ({ path, content }: At & { readonly content: Uint8Array }) =>
      Effect.suspend((): Effect.Effect<void, E> => {
        const entry = entries.get(normal(path))
        if (entry !== undefined && entry.content === undefined)
          return failed("NOT_A_FILE", path, "is a directory")
        return place(path) ?? set(path, joined(entry?.content, content))
      }),
    createBytes: ({ path, content }: At & { readonly content: Uint8Array }) =>
      Effect.suspend(
        (): Effect.Effect<void, E> =>
          entries.has(normal(path))
            ? failed("ALREADY_EXISTS", path, "already exists")
            : (place(path) ?? set(path, content.slice()))
      ),
    list: ({ path }: At) => listed(path),
    entries: ({ path }: At) =>
      Effect.map(listed(path), (names) =>
        names.map((name) => ({
          name,
          kind:
            entries.get(normal(`${path}/${name}`))?.content === undefined
              ? ("directory" as const)
              : ("file" as const)
        }))
      ),
    stat: ({ path }: At) =>
      Effect.map(lookup(path), ({ content, modifiedMillis }) =>
        content === undefined
          ? { kind: "directory" as const, size: 0, modifiedMillis }
          : { kind: "file" as const, size: content.byteLength, modifiedMillis }
      ),
    mkdir: ({ path, recursive }: Below) =>
      Effect.suspend((): Effect.Effect<void, E> => {
        const entry = entries.get(normal(path))
        if (entry !== undefined) {
          return recursive && entry.content === undefined
            ? Effect.void
            : failed("ALREADY_EXISTS", path, "already exists")
        }
        if (recursive) {
          let near = parentOf(normal(path))
          while (near !== undefined && !entries.has(near)) near = parentOf(near)
          if (near !== undefined && entries.get(near)?.content !== undefined) {
            return failed("NOT_A_DIRECTORY", path, "lies under a file")
          }
          makeAll(parentOf(normal(path)))
        }
        return place(path) ?? set(path, undefined)
      }),
    remove: ({ path, recursive }: Below) =>
      Effect.flatMap(lookup(path), (): Effect.Effect<void, E> => {
        const below = under(normal(path))
        if (below.length > 0 && !recursive) return failed("FILES_FAILED", path, "is not empty")
        return Effect.sync(() => {
          for (const key of [...below, normal(path)]) entries.delete(key)
        })
      }),
    rename: ({
      from,
      replace,
      to
    }: {
      readonly from: string
      readonly to: string
      readonly replace: boolean
    }) =>
      Effect.flatMap(lookup(from), (): Effect.Effect<void, E> => {
        const refused = place(to) ?? collision(from, to, replace)
        if (refused !== undefined) return refused
        return Effect.sync(() => {
          for (const key of [normal(from), ...under(normal(from))]) {
            const entry = entries.get(key)
            entries.delete(key)
            if (entry !== undefined) entries.set(`${normal(to)}${key.slice(normal(from).length)}`, entry)
          }
        })
      }),
    temporary: ({ prefix, within }: { readonly within: string | null; readonly prefix: string }) =>
      Effect.suspend((): Effect.Effect<string, E> => {
        const above = within === null || normal(within) === "/" ? "" : normal(within)
        const path = `${above}/${prefix}${++temporaries}`
        return place(path) ?? Effect.as(set(path, undefined), path)
      }),
    search: ({ glob, limit = 1000, path, pattern }: At & Query) =>
      Effect.flatMap(lookup(path), () =>
        Effect.suspend(() => {
          const line = expression(pattern)
          if (line === undefined) return failed("FILES_FAILED", pattern, "is not a regular expression")
          const name = glob === undefined ? /^/ : new RegExp(`(^|/)${globbed(glob)}$`)
          const matches = [normal(path), ...under(normal(path))]
            .sort()
            .filter((key) => entries.get(key)?.content !== undefined && name.test(key))
            .flatMap((key) =>
              linesOf(textOf(entries.get(key)?.content ?? new Uint8Array())).flatMap((text, index) =>
                line.test(text) ? [{ path: key, line: index + 1, text }] : []
              )
            )
          return Effect.succeed({ matches: matches.slice(0, limit), truncated: matches.length > limit })
        })
      )
  }
}
