/** What every child sees of the system, whoever started it. */
import { isWithin } from "./paths.js"

/** Programs and libraries, read-only. */
const programs = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/gnu/store"]

/** What the kernel shows, of which a child has its own, or nothing. */
const replaced = ["/proc", "/sys", "/dev"]

/** Private too, but for what a policy names in them: settings without secrets, sockets of nobody, files of its own. */
const own = ["/etc", "/run", "/tmp"]

const isAmong = (all: ReadonlyArray<string>, path: string): boolean =>
  all.some((root) => isWithin(path, root))

export const isSystem = (path: string): boolean => isAmong(programs, path)

export const isReplaced = (path: string): boolean => isAmong(replaced, path)

/** What of the root is not mounted for who may read all of it. */
export const isLeftOfRoot = (path: string): boolean => [...programs, ...replaced, ...own].includes(path)
