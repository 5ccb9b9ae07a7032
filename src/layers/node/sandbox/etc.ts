/**
 * The few files of `/etc` that programs need in order to run at all, as a copy. None of them holds a secret, and what not
 * everybody may read is left out. A child sees neither the accounts nor the network of the machine.
 */
import { cpSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"

/** As the child knows itself. */
export const USER = { id: "1000", name: "user", home: "/tmp" } as const

/** Where programs look for authorities that they trust; Debian's first. */
const BUNDLES = [
  "ssl/certs/ca-certificates.crt",
  "pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
  "pki/tls/certs/ca-bundle.crt",
  "ssl/cert.pem"
] as const

const COPIED = [
  ...BUNDLES,
  "ld.so.cache",
  "ld.so.conf",
  "ld.so.conf.d",
  "ld-musl-x86_64.path",
  "ld-musl-aarch64.path",
  "alternatives",
  "localtime",
  "timezone",
  "os-release",
  "lsb-release",
  "debian_version",
  "mime.types",
  "protocols",
  "services",
  "magic",
  "terminfo",
  "ssl/openssl.cnf",
  "pki/tls/openssl.cnf",
  "pki/tls/cert.pem",
  "crypto-policies/back-ends"
]

/** Settings that a runtime does not start without. */
const isRuntime = (name: string): boolean => /^java-\d+-openjdk$/.test(name)

const listed = (): ReadonlyArray<string> => {
  try {
    return readdirSync("/etc").filter(isRuntime)
  } catch {
    return []
  }
}

const isForEverybody = (path: string): boolean => {
  const found = statSync(path, { throwIfNoEntry: false })
  // A link that leads nowhere is as good here as there.
  if (found === undefined) return true
  return (found.isFile() || found.isDirectory()) && (found.mode & 0o004) !== 0
}

/** A file is copied as what it leads to, a directory with the links in it as they are. */
const copy = (name: string, root: string): void => {
  const from = join("/etc", name)
  const found = statSync(from, { throwIfNoEntry: false })
  if (found === undefined || !isForEverybody(from)) return
  const to = join(root, name)
  mkdirSync(dirname(to), { recursive: true })
  cpSync(from, to, {
    recursive: true,
    dereference: found.isFile(),
    verbatimSymlinks: found.isDirectory(),
    filter: isForEverybody
  })
}

/** Names are found in files alone: no service of the machine is asked. */
const own: ReadonlyArray<readonly [name: string, text: string]> = [
  ["passwd", `${USER.name}:x:${USER.id}:${USER.id}::${USER.home}:/bin/sh\n`],
  ["group", `${USER.name}:x:${USER.id}:\n`],
  ["nsswitch.conf", "passwd: files\ngroup: files\nhosts: files\nservices: files\nprotocols: files\n"],
  ["hosts", "127.0.0.1 localhost\n::1 localhost\n"],
  ["resolv.conf", ""]
]

/** Answers with the path of the bundle of authorities in it, which is there, be it empty. */
export const makeIn = (root: string): string => {
  mkdirSync(root, { mode: 0o755 })
  for (const name of [...COPIED, ...listed()]) {
    try {
      copy(name, root)
    } catch {
      // What cannot be copied is not there.
    }
  }
  for (const [name, text] of own) writeFileSync(join(root, name), text)
  const found = BUNDLES.find((name) => existsSync(join(root, name)))
  if (found !== undefined) return found
  mkdirSync(dirname(join(root, BUNDLES[0])), { recursive: true })
  writeFileSync(join(root, BUNDLES[0]), "")
  return BUNDLES[0]
}
