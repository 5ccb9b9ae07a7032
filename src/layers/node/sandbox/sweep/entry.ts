/**
 * One name in a directory, reached through the open directory: whatever is put in the place of the directory meanwhile, it
 * is the one that was asked for, and no link is followed at the end.
 */
import * as fs from "node:fs"
import { READ, READ_DIRECTORY } from "../../disk/Disk.js"
import { join, type Reality } from "../../disk/Reality.js"
import { codeOf, elsewhere } from "../../disk/Trouble.js"

const { O_CREAT, O_DIRECTORY = 0, O_EXCL, O_NOFOLLOW = 0, O_WRONLY } = fs.constants

const MODE = 0o7777
/** What the owner of a directory needs to list and to change it. */
const OWNERS = 0o700

const CHUNK = 256 * 1024

export interface Directory {
  readonly fd: number
  readonly path: string
}

export class Entries {
  constructor(private readonly reality: Reality) {}

  at({ fd, path }: Directory, name: string): string {
    return this.reality.below(fd, path, name)
  }

  /** A directory that is at this very path, for as long as it is used. One that its own mode closes is open meanwhile. */
  async within<A>(path: string, use: (directory: Directory) => A | Promise<A>): Promise<A> {
    const { fd: held, itself, mode } = this.opened(path)
    try {
      const fd = fs.openSync(itself, READ_DIRECTORY)
      try {
        return await use({ fd, path })
      } finally {
        fs.closeSync(fd)
        if ((mode & OWNERS) !== OWNERS) fs.chmodSync(itself, mode)
      }
    } finally {
      fs.closeSync(held)
    }
  }

  /** For good, if that can be done. */
  open(path: string): void {
    try {
      fs.closeSync(this.opened(path).fd)
    } catch {
      // Who looks again finds it as it was.
    }
  }

  /** Lets its owner list and change a directory, as whoever made it may have forbidden. */
  private opened(path: string): { readonly fd: number; readonly mode: number; readonly itself: string } {
    const fd = fs.openSync(path, this.reality.look | O_DIRECTORY)
    try {
      if (!this.reality.isAt(fd, path)) throw elsewhere
      const itself = this.at({ fd, path }, "")
      const mode = fs.fstatSync(fd).mode & MODE
      if ((mode & OWNERS) !== OWNERS) fs.chmodSync(itself, mode | OWNERS)
      return { fd, mode, itself }
    } catch (error) {
      fs.closeSync(fd)
      throw error
    }
  }

  private async inside<A>(
    directory: Directory,
    name: string,
    use: (inner: Directory) => Promise<A>
  ): Promise<A> {
    const fd = fs.openSync(this.at(directory, name), READ_DIRECTORY)
    try {
      return await use({ fd, path: join(directory.path, name) })
    } finally {
      fs.closeSync(fd)
    }
  }

  kind(directory: Directory, name: string): fs.Stats | undefined {
    return fs.lstatSync(this.at(directory, name), { throwIfNoEntry: false })
  }

  names(directory: Directory): ReadonlyArray<string> {
    return fs.readdirSync(this.at(directory, "."))
  }

  /** Gives directories whose names are no text names that are, and answers with these. */
  named(directory: Directory): ReadonlyArray<string> {
    const from = Buffer.from(this.at(directory, ""))
    return fs.readdirSync(this.at(directory, "."), { encoding: "buffer" }).flatMap((raw) => {
      const at = Buffer.concat([from, raw])
      if (!raw.toString("utf8").includes(NOT_TEXT) || !fs.lstatSync(at).isDirectory()) return []
      const name = `unnamed-${unguessable()}`
      fs.renameSync(at, this.at(directory, name))
      return [name]
    })
  }

  /** The bytes of a regular file; nothing where it is none, or is larger. */
  bytes(directory: Directory, name: string, most: number): Buffer | undefined {
    let fd: number
    try {
      fd = fs.openSync(this.at(directory, name), READ)
    } catch {
      return undefined
    }
    try {
      const stats = fs.fstatSync(fd)
      return stats.isFile() && stats.size <= most ? fs.readFileSync(fd) : undefined
    } finally {
      fs.closeSync(fd)
    }
  }

  /** Puts a file in the place of whatever has the name, at once. */
  replace(directory: Directory, name: string, bytes: string): void {
    const fresh = this.at(directory, `.${name}.${unguessable()}`)
    fs.writeFileSync(fresh, bytes, { flag: "wx", mode: 0o644 })
    fs.renameSync(fresh, this.at(directory, name))
  }

  link(directory: Directory, name: string, target: string): void {
    fs.symlinkSync(target, this.at(directory, name))
  }

  target(directory: Directory, name: string): string | undefined {
    try {
      return fs.readlinkSync(this.at(directory, name))
    } catch {
      return undefined
    }
  }

  /**
   * Moves a name from one directory to another, on another disk too. There it loses its name first, so that it does
   * nothing any more while it is copied.
   */
  async move(from: Directory, name: string, to: Directory, as: string): Promise<void> {
    try {
      this.rename(from, name, to, as)
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EXDEV")) throw error
      const nameless = `quarantined-${unguessable()}`
      fs.renameSync(this.at(from, name), this.at(from, nameless))
      await this.copy(from, nameless, to, as)
      await this.remove(from, nameless)
    }
  }

  /** A directory that its owner may not change does not go into another one. */
  private rename(from: Directory, name: string, to: Directory, as: string): void {
    try {
      fs.renameSync(this.at(from, name), this.at(to, as))
    } catch (error) {
      const isLocked = codeOf(error) === "EACCES" && this.kind(from, name)?.isDirectory() === true
      if (!isLocked) throw error
      const fd = fs.openSync(this.at(from, name), this.reality.look | O_DIRECTORY)
      try {
        fs.chmodSync(this.at({ fd, path: join(from.path, name) }, ""), OWNERS)
      } finally {
        fs.closeSync(fd)
      }
      fs.renameSync(this.at(from, name), this.at(to, as))
    }
  }

  /** What is neither file, directory nor link is not worth keeping. */
  private async copy(from: Directory, name: string, to: Directory, as: string): Promise<void> {
    const stats = this.kind(from, name)
    const target = this.at(to, as)
    if (stats?.isSymbolicLink() === true) fs.symlinkSync(fs.readlinkSync(this.at(from, name)), target)
    else if (stats?.isFile() === true) await this.copyFile(this.at(from, name), target, stats.mode & 0o777)
    else if (stats?.isDirectory() === true) {
      fs.mkdirSync(target, { mode: 0o700 })
      await this.inside(from, name, (source) =>
        this.inside(to, as, async (copy) => {
          for (const one of this.names(source)) await this.copy(source, one, copy, one)
        })
      )
    }
  }

  private async copyFile(from: string, to: string, mode: number): Promise<void> {
    const source = await fs.promises.open(from, READ)
    try {
      const copy = await fs.promises.open(to, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode)
      try {
        const chunk = Buffer.alloc(CHUNK)
        for (;;) {
          const { bytesRead } = await source.read(chunk, 0, CHUNK, null)
          if (bytesRead === 0) break
          await copy.writeFile(chunk.subarray(0, bytesRead))
        }
      } finally {
        await copy.close()
      }
    } finally {
      await source.close()
    }
  }

  private async remove(directory: Directory, name: string): Promise<void> {
    const path = this.at(directory, name)
    if (this.kind(directory, name)?.isDirectory() !== true) return fs.rmSync(path, { force: true })
    await this.inside(directory, name, async (inner) => {
      for (const one of this.names(inner)) await this.remove(inner, one)
    })
    fs.rmdirSync(path)
  }
}

/** Names that are not UTF-8 come as text with this in it. */
const NOT_TEXT = "\uFFFD"

/** A name that nobody could have taken before. */
export const unguessable = (): string => crypto.randomUUID().slice(0, 13)
