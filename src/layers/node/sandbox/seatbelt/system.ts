/** What every child sees of macOS: its programs and libraries, a few files that they read, and the devices that lose data. */
import { filterOf, rule } from "./rules.js"

/**
 * By their real paths, with all below them where they are trees. Of `/private/etc` only what says nothing of the machine or
 * its users' secrets; its hosts are not told.
 */
export const readable: ReadonlyArray<readonly [path: string, isTree: boolean]> = [
  ["/usr", true],
  ["/bin", true],
  ["/sbin", true],
  ["/System", true],
  ["/Library/Apple", true],
  ["/Library/Developer/CommandLineTools", true],
  ["/Applications/Xcode.app/Contents/Developer", true],
  ["/opt/homebrew", true],
  ["/private/etc/ssl", true],
  ["/private/etc/passwd", false],
  ["/private/etc/group", false],
  ["/private/etc/protocols", false],
  ["/private/etc/services", false],
  ["/private/etc/shells", false],
  ["/private/etc/localtime", false],
  ["/private/var/db/dyld", true],
  ["/private/var/db/timezone", true],
  ["/private/var/db/xcode_select_link", false],
  ["/private/var/select", true]
]

/** Links of the system that lead into `/private`. */
export const shortcuts: ReadonlyArray<string> = ["/etc", "/tmp", "/var"]

const literal = (path: string) => filterOf(path, false)

export const devices: ReadonlyArray<string> = [
  ...rule("allow", "file-read*", ["/dev/null", "/dev/zero", "/dev/random", "/dev/urandom"].map(literal)),
  ...rule("allow", "file-write-data file-ioctl", [literal("/dev/null")]),
  // What a shell calls by the number of a descriptor is open already.
  ...rule("allow", "file-read* file-write-data", [filterOf("/dev/fd", true)])
]

/**
 * No service but the one that knows users by name. That which judges certificates fetches from where they say: a child
 * would reach hosts by it.
 */
export const services: ReadonlyArray<string> = [
  "(allow process-fork)",
  "(allow signal (target same-sandbox))",
  "(allow process-info* (target same-sandbox))",
  "(allow sysctl-read)",
  '(allow mach-lookup (global-name "com.apple.system.opendirectoryd.libinfo"))'
]
