/** Files that are made once and used again: each is named by what it was made from, and looked at before it is used. */
import { createHash, randomBytes } from "node:crypto"
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { dirname, join } from "node:path"

export const digestOf = (content: string | Uint8Array): string =>
  createHash("sha256").update(content).digest("hex")

const own = (): number | undefined => process.getuid?.()

/** For its owner alone; what is another's, or open to others, is not trusted. */
const isPrivate = (path: string): boolean => {
  const { mode, uid } = statSync(path)
  return (own() === undefined || uid === own()) && (mode & 0o077) === 0
}

export class Store {
  constructor(private readonly directory: string) {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    // A link would have somebody else's directory filled, and closed.
    if (lstatSync(directory).isSymbolicLink()) throw new Error("a link")
    chmodSync(directory, 0o700)
  }

  pathOf(name: string): string {
    return join(this.directory, name)
  }

  /** The content of a file; nothing where it is not there, or not only ours. */
  read(name: string): Buffer | undefined {
    try {
      const path = this.pathOf(name)
      return isPrivate(path) ? readFileSync(path) : undefined
    } catch {
      return undefined
    }
  }

  /** The path of a file that has this digest; nothing where it has another. */
  verified(name: string, digest: string): string | undefined {
    const content = this.read(name)
    return content !== undefined && digestOf(content) === digest ? this.pathOf(name) : undefined
  }

  /** What is there already stays: another program may be about to start from it. */
  write(name: string, content: string | Uint8Array): string {
    const path = this.pathOf(name)
    if (this.verified(name, digestOf(content)) !== undefined) return path
    const made = this.fresh(content)
    renameSync(made, path)
    return path
  }

  /** A file of its own, for whoever fills it. */
  fresh(content: string | Uint8Array = ""): string {
    const path = join(this.directory, `.${randomBytes(8).toString("hex")}`)
    writeFileSync(path, content, { mode: 0o600, flag: "wx" })
    return path
  }

  keep(path: string, name: string): string {
    const kept = this.pathOf(name)
    renameSync(path, kept)
    return kept
  }

  drop(path: string): void {
    if (dirname(path) === this.directory) rmSync(path, { force: true })
  }
}
