/** The system's own programs and libraries, as every child sees them: read-only, where they are. */
import { existsSync, lstatSync, readlinkSync } from "node:fs"

/** Where systems keep what they install. `/opt` and home directories are nobody's system. */
const TREES = ["/usr", "/nix/store", "/gnu/store"]

/** Part of `/usr` on most systems by now. */
const OLD = ["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"]

const isLink = (path: string): boolean =>
  lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true

const isWithin = (path: string, root: string): boolean => path === root || path.startsWith(`${root}/`)

/** Whether a path is part of what every child sees. */
export const isSystem = (path: string): boolean => [...TREES, ...OLD].some((root) => isWithin(path, root))

/** No terminal can be made inside: `--dev` would bring one, and with it another user namespace. */
const DEVICES = ["null", "zero", "urandom"]

const LINKS: ReadonlyArray<readonly [target: string, name: string]> = [
  ["/proc/self/fd", "fd"],
  ["/proc/self/fd/0", "stdin"],
  ["/proc/self/fd/1", "stdout"],
  ["/proc/self/fd/2", "stderr"],
  ["urandom", "random"],
  ["/tmp", "shm"]
]

/** As arguments of bwrap. */
export const systemArguments = (): ReadonlyArray<string> => [
  ...TREES.filter(existsSync).flatMap((path) => ["--ro-bind", path, path]),
  ...OLD.filter(existsSync).flatMap((path) =>
    isLink(path) ? ["--symlink", readlinkSync(path), path] : ["--ro-bind", path, path]
  ),
  ...["--perms", "0755", "--dir", "/dev"],
  ...DEVICES.flatMap((name) => ["--dev-bind", `/dev/${name}`, `/dev/${name}`]),
  ...LINKS.flatMap(([target, name]) => ["--symlink", target, `/dev/${name}`])
]
