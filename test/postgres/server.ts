/**
 * A PostgreSQL of the tests' own: on a socket in a directory of its own and on a port of loopback, run as nobody, without
 * care for its disk. One for each process that runs tests, started when the first needs it. A shell waits for the end of
 * this process, however it ends, and then ends PostgreSQL and clears its directory away.
 */
import { execFileSync, spawn, spawnSync } from "node:child_process"
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  writeFileSync
} from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Redacted } from "effect"

const VERSIONS = "/usr/lib/postgresql"

/** Where the newest has its programs. */
const folder = (): string => {
  const [newest] = readdirSync(VERSIONS).sort((a, b) => Number(b) - Number(a))
  if (newest === undefined) throw new Error(`there is no PostgreSQL in ${VERSIONS}: install postgresql`)
  return join(VERSIONS, newest, "bin")
}

const NOBODY = 65534
const isRoot = process.getuid?.() === 0
const as = isRoot ? { uid: NOBODY, gid: NOBODY } : {}

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer()
    server.once("error", reject)
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0))
    })
  })

/** Ends what is there when its input ends: with this process, whatever becomes of it. */
const JANITOR = `cat > /dev/null
pid=$(head -n 1 "$1/data/postmaster.pid" 2> /dev/null)
[ -n "$pid" ] && kill -QUIT "$pid" 2> /dev/null
while [ -n "$pid" ] && kill -0 "$pid" 2> /dev/null; do sleep 0.1; done
rm -rf "$1"`

const CONF = `
fsync = off
synchronous_commit = off
full_page_writes = off
max_connections = 60
shared_buffers = 32MB
listen_addresses = '127.0.0.1'
log_min_messages = fatal
`

export class Server {
  constructor(
    readonly directory: string,
    readonly port: number
  ) {}

  private run(command: string, args: ReadonlyArray<string>): void {
    execFileSync(join(folder(), command), args, {
      ...as,
      cwd: this.directory,
      env: { LC_ALL: "C", PATH: process.env.PATH },
      stdio: "ignore"
    })
  }

  private get data(): string {
    return join(this.directory, "data")
  }

  init(): void {
    writeFileSync(join(this.directory, "password"), "admin")
    if (isRoot) chownSync(join(this.directory, "password"), NOBODY, NOBODY)
    this.run("initdb", [
      ...["-D", this.data, "-U", "admin", "-E", "UTF8", "--locale", "C", "-N"],
      ...["--auth", "scram-sha-256", "--pwfile", join(this.directory, "password")]
    ])
    writeFileSync(
      join(this.data, "postgresql.auto.conf"),
      `${CONF}port = ${this.port}\nunix_socket_directories = '${this.directory}'\n`
    )
  }

  start(): void {
    this.run("pg_ctl", ["-D", this.data, "-w", "-t", "120", "-l", join(this.directory, "log"), "start"])
  }

  /** As a machine that loses power. */
  stop(): void {
    this.run("pg_ctl", ["-D", this.data, "-w", "-t", "120", "-m", "immediate", "stop"])
  }

  restart(): void {
    this.stop()
    this.start()
  }

  /** Of the process that starts all others. */
  get pid(): number {
    return Number(readFileSync(join(this.data, "postmaster.pid"), "utf8").split("\n")[0])
  }

  get log(): string {
    return readFileSync(join(this.directory, "log"), "utf8")
  }

  url(database: string, user = "admin", password = "admin"): string {
    return `postgresql://${user}:${password}@127.0.0.1:${this.port}/${database}`
  }

  /** What an operator types; its rows as they are printed. */
  psql(database: string, statement: string, { password = "admin", user = "admin" } = {}): string {
    const { error, status, stderr, stdout } = spawnSync(
      join(folder(), "psql"),
      [
        "-X",
        "-A",
        "-t",
        "-v",
        "ON_ERROR_STOP=1",
        "-h",
        this.directory,
        "-p",
        String(this.port),
        "-U",
        user,
        "-d",
        database
      ],
      { input: statement, encoding: "utf8", env: { PATH: process.env.PATH, PGPASSWORD: password } }
    )
    if (status !== 0) throw error ?? new Error(stderr)
    return stdout.trim()
  }
}

const launched = async (): Promise<Server> => {
  const directory = mkdtempSync(join(tmpdir(), "bailiwick-pg-"))
  chmodSync(directory, 0o711)
  if (isRoot) chownSync(directory, NOBODY, NOBODY)
  mkdirSync(join(directory, "data"), { mode: 0o700 })
  if (isRoot) chownSync(join(directory, "data"), NOBODY, NOBODY)
  // Its input is held by this process alone, and nobody waits for it.
  const janitor = spawn("/bin/sh", ["-c", JANITOR, "janitor", directory], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true
  })
  janitor.unref()
  const { stdin } = janitor
  if ("unref" in stdin && typeof stdin.unref === "function") stdin.unref()
  const server = new Server(directory, await freePort())
  server.init()
  server.start()
  return server
}

let shared: Promise<Server> | undefined

/** The one that all tests of this process use; none of them stops it. */
const server = (): Promise<Server> => {
  shared ??= launched()
  return shared
}

/** One for a test that stops it. */
export const ownServer: Effect.Effect<Server> = Effect.promise(launched)

let count = 0

/** A database of its own, by its name. */
export const database = Effect.map(Effect.promise(server), (found) => {
  const name = `test_${process.pid}_${++count}`
  found.psql("postgres", `CREATE DATABASE ${name}`)
  return { name, server: found, url: Redacted.make(found.url(name)) }
})

/** A schema of its own, in a database that others use, too: it comes at no cost. */
export const place = Effect.map(Effect.promise(server), (found) => ({
  schema: `s${process.pid}_${++count}`,
  server: found,
  url: Redacted.make(found.url("postgres"))
}))
