/**
 * The program as one script that is made of the modules of the library beside it, so that the package holds them once.
 * The build writes down what is taken from where.
 */
export interface Parts {
  /** What is taken from: below the folder of the program, or of a package. */
  readonly files: ReadonlyArray<readonly [path: string, length: number]>
  readonly parts: ReadonlyArray<Part>
  /** Of the whole script. */
  readonly length: number
}

/**
 * A text; or a stretch of a file; or one with the names that a module takes or gives, and what is to stand there for
 * `$1 as $2`.
 */
export type Part = string | readonly [file: number, from: number, to: number, named?: string]

/** The package that is installed in one version only, and how the paths of its files begin. */
export const pinned = { name: "yaml", prefix: "yaml:" }

/** With characters of one byte alone. Escapes mean the same wherever a script can have others. */
export const ofBytes = (text: string): string =>
  text.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)

const NAMED = /([\w$]+) as ([\w$]+)/g

/** Nothing where a file has another length than the one that was published: its stretches are elsewhere then. */
export const joined = (
  { files, parts }: Pick<Parts, "files" | "parts">,
  read: (path: string) => string
): string | undefined => {
  const texts = files.map(([path]) => read(path))
  if (files.some(([, length], at) => texts[at]?.length !== length)) return undefined
  return parts
    .map((part) => {
      if (typeof part === "string") return part
      const [file, from, to, named] = part
      const stretch = texts[file]?.slice(from, to) ?? ""
      return named === undefined ? stretch : stretch.replace(NAMED, named)
    })
    .join("")
}
