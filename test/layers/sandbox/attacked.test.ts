/**
 * The threat: a permitted command that wants more than its tool may touch. Each attack is tried as root and as a user without
 * rights, and what counts is what it achieved, not what it said.
 */
import { spawn } from "node:child_process"
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { createServer, type Server } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Schema } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { has } from "../../../scripts/lib/system.js"
import { programOf } from "../../program.js"
import { type Attack, type Attacks, type Outcome, Outcomes } from "./attacks.js"

const canRun = has("bwrap") && has("prlimit") && has("perl")

const isRoot = process.getuid?.() === 0

const NOBODY = 65534

const SECRET = "hunter2-of-the-operator"

/** As who the tool runs. Without rights nobody can be somebody else. */
const users = [
  { user: "this user", uid: process.getuid?.() ?? 0 },
  ...(isRoot ? [{ user: "nobody", uid: NOBODY }] : [])
]

interface World {
  readonly root: string
  readonly outside: string
  readonly run: (...attacks: ReadonlyArray<Attack | string>) => Promise<ReadonlyArray<Outcome>>
  readonly connections: () => number
  readonly port: number
  readonly abstract: string
}

const base = realpathSync(mkdtempSync(join(tmpdir(), "bailiwick-attacked-")))
const servers: Array<Server> = []

afterAll(() => {
  for (const server of servers) server.close()
  rmSync(base, { recursive: true, force: true })
})

const listening = (at: string | number, heard: () => void): Promise<Server> =>
  new Promise((resolve) => {
    const server = createServer((socket) => {
      heard()
      socket.destroy()
    })
    servers.push(server)
    if (typeof at === "string") server.listen(at, () => resolve(server))
    else server.listen(at, "127.0.0.1", () => resolve(server))
  })

const ran = (file: string, uid: number, given: typeof Attacks.Type): Promise<string> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [file, JSON.stringify(given)], {
      ...(uid === process.getuid?.() ? {} : { uid, gid: uid }),
      cwd: "/",
      env: { PATH: process.env.PATH, HOME: base, OPERATOR: SECRET },
      stdio: ["ignore", "pipe", "pipe"]
    })
    let [out, said] = ["", ""]
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      out += text
    })
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      said += text
    })
    child.once("error", reject)
    child.once("close", (code) => (code === 0 ? resolve(out) : reject(new Error(said))))
  })

/** A place with something to steal, next to what the tool may touch. */
const world = async (uid: number): Promise<World> => {
  const place = join(base, String(uid))
  const [root, outside] = [join(place, "root"), join(place, "outside")]
  for (const path of [place, root, outside, join(root, "sub"), join(root, ".git/hooks")]) {
    mkdirSync(path, { recursive: true })
  }
  writeFileSync(join(outside, "secret"), SECRET)
  writeFileSync(join(root, "note.txt"), "a note\n")
  for (const name of ["id_rsa", ".netrc", "sub/id_ed25519"]) writeFileSync(join(root, name), SECRET)
  writeFileSync(join(root, ".git/config"), "[core]\n")
  const program = join(place, "attacker.mjs")
  copyFileSync(await programOf(join(import.meta.dirname, "attacker.ts")), program)
  let connections = 0
  const heard = () => connections++
  const server = await listening(0, heard)
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  await listening(join(root, "service.sock"), heard)
  const abstract = `bailiwick-${process.pid}-${uid}`
  await listening(`\0${abstract}`, heard)
  for (const path of [base, place, root, outside]) chmodSync(path, 0o755)
  const owned = (path: string): void => {
    chownSync(path, uid, uid)
    if (statSync(path).isDirectory()) for (const name of readdirSync(path)) owned(join(path, name))
  }
  if (isRoot) owned(place)
  return {
    root,
    outside,
    port,
    abstract,
    connections: () => connections,
    run: async (...attacks) => {
      const list = attacks.map((attack) => (typeof attack === "string" ? { script: attack } : attack))
      const given = { root, quarantine: join(place, "quarantine"), attacks: list }
      return Schema.decodeSync(Outcomes)(await ran(program, uid, given))
    }
  }
}

const perl = (text: string): string => `perl -e '${text}'`

describe.skipIf(!canRun).each(users)("a held command of $user", ({ uid }) => {
  let place: World
  beforeAll(async () => {
    place = await world(uid)
  })

  it("reads and writes what its tool may, under its own path [S2, S9]", async () => {
    const [read, written] = await place.run(
      "cat note.txt; pwd",
      "echo made >made.txt; cat made.txt; mkdir d; rmdir d"
    )
    expect(read).toMatchObject({ exitCode: 0, stdout: `a note\n${place.root}\n`, stderr: "" })
    expect(written).toMatchObject({ exitCode: 0, stdout: "made\n", stderr: "" })
    const made = join(place.root, "made.txt")
    expect(readFileSync(made, "utf8")).toBe("made\n")
    expect(statSync(made).uid).toBe(uid)
  })

  it("sees nothing else of the machine [P17, S4]", async () => {
    const places = ["/root", "/home", "/run", "/sys", "/var", "/boot", "/mnt", "/srv", place.outside]
    const [seen, secrets, hosts, root] = await place.run(
      `for p in ${places.join(" ")}; do [ -e $p ] && echo $p; done`,
      `cat ${place.outside}/secret ../outside/secret /etc/shadow /etc/gshadow /proc/1/root${place.outside}/secret id_rsa .netrc sub/id_ed25519`,
      "cat /etc/hosts /etc/passwd /etc/hostname /etc/resolv.conf",
      "ls /"
    )
    expect(seen?.stdout).toBe("")
    expect(secrets?.stdout).toBe("")
    expect(hosts?.stdout).toBe("127.0.0.1 localhost\n::1 localhost\nuser:x:1000:1000::/tmp:/bin/sh\n")
    const own = ["bin", "dev", "etc", "lib", "lib32", "lib64", "libx32", "proc", "sbin", "tmp", "usr"]
    expect(
      root?.stdout
        .trim()
        .split("\n")
        .filter((name) => !own.includes(name))
    ).toEqual([])
  })

  it("writes nothing outside, and its /tmp is its own [S3]", async () => {
    const name = `bailiwick-written-${process.pid}-${uid}`
    const paths = [
      join(tmpdir(), name),
      `/var/tmp/${name}`,
      `/dev/shm/${name}`,
      join(place.outside, name),
      `/usr/${name}`
    ]
    const tries = [...paths, `/etc/${name}`, `/${name}`].map((path) => `(mkdir -p ${path}) 2>/dev/null`)
    const [first, second] = await place.run(`${tries.join("; ")}; ls /tmp`, "ls -A /tmp")
    expect(first?.stdout).toContain(name)
    expect(second?.stdout).not.toContain(name)
    expect(paths.filter(existsSync)).toEqual([])
  })

  it("changes none of the files that run something, nor moves what they are in", async () => {
    const tries = [
      "echo x >.git/hooks/pre-commit",
      "echo x >>.git/config",
      "mv .git g2",
      "mv .git/hooks .git/h2",
      "rm -rf .git/hooks",
      "mkdir .git2 && mv .git .git2/",
      "ln -f note.txt .git/config",
      "mv note.txt .git/config"
    ]
    await place.run(
      `for i in 1; do ${tries.map((one) => `(${one}) 2>/dev/null`).join("; ")}; done; rmdir .git2`
    )
    expect(readFileSync(join(place.root, ".git/config"), "utf8")).toBe("[core]\n")
    expect(readdirSync(join(place.root, ".git/hooks"))).toEqual([])
    expect(readdirSync(place.root)).not.toContain("g2")
  })

  it("has no network, by any family of sockets [P18, S6]", async () => {
    const inet = `socket(S,2,1,0); connect(S, pack("S n C4 x8",2,${place.port},127,0,0,1)) and print "connected"; print "no: $!"`
    const [tcp, interfaces, path, abstract, datagram] = await place.run(
      perl(inet),
      "cat /proc/net/dev | tail -n +3 | cut -d: -f1",
      perl(
        `socket(S,1,1,0) or print "no socket"; connect(S, pack("S a*",1,"service.sock")) and print "connected"`
      ),
      perl(
        `socket(S,1,1,0) or print "no socket"; connect(S, pack("S a*",1,"\\0${place.abstract}")) and print "connected"`
      ),
      perl(`socketpair(A,B,1,2,0) or print "no pair"; socketpair(C,D,1,1,0) and print ", a stream"`)
    )
    expect(tcp?.stdout).toMatch(/^no: /)
    expect(interfaces?.stdout.trim()).toBe("lo")
    expect(path?.stdout).toBe("no socket")
    expect(abstract?.stdout).toBe("no socket")
    expect(datagram?.stdout).toBe("no pair, a stream")
    expect(place.connections()).toBe(0)
  })

  it("finds neither pipes nor sockets that lie in its directory", async () => {
    const [found] = await place.run(
      "for f in service.sock; do [ -S $f ] && echo socket; [ -p $f ] && echo pipe; done; ls"
    )
    expect(found?.stdout).not.toMatch(/^(socket|pipe)$/m)
  })

  it("sees and signals only its own processes", async () => {
    const [processes, signalled] = await place.run(
      "ls /proc | grep -c '^[0-9]'; cat /proc/1/comm",
      `kill -0 ${process.pid} 2>/dev/null && [ $(readlink /proc/${process.pid}/exe) = ${process.execPath} ] && echo reached`
    )
    const [many, first] = processes?.stdout.trim().split("\n") ?? []
    expect(Number(many)).toBeLessThan(10)
    expect(first).toBe("bwrap")
    expect(signalled?.stdout).toBe("")
  })

  it("has no rights, gets none, and makes no namespace", async () => {
    const [status, unshared, mounted, setting] = await place.run(
      "grep -E '^(CapEff|CapPrm|CapBnd|CapAmb|NoNewPrivs|Seccomp):' /proc/self/status | tr -s '\\t ' ' '",
      "unshare -U true && echo made; unshare -m true && echo made",
      "mount -t tmpfs none /tmp && echo mounted; umount /proc && echo unmounted; chroot / true && echo moved",
      // Opened, and not written.
      "(: >>/proc/sys/kernel/hostname) 2>/dev/null && echo open; (: >>/proc/self/oom_score_adj) 2>/dev/null && echo open"
    )
    expect(status?.stdout.trim().split("\n")).toEqual([
      "CapPrm: 0000000000000000",
      "CapEff: 0000000000000000",
      "CapBnd: 0000000000000000",
      "CapAmb: 0000000000000000",
      "NoNewPrivs: 1",
      "Seccomp: 2"
    ])
    expect([unshared?.stdout, mounted?.stdout, setting?.stdout]).toEqual(["", "", ""])
  })

  it("knows nothing of the operator's environment [P08]", async () => {
    const [own, first] = await place.run(
      "env",
      "tr '\\0' '\\n' </proc/1/environ; tr '\\0' '\\n' </proc/1/cmdline"
    )
    expect(own?.stdout).not.toMatch(/hunter2|OPERATOR|BAILIWICK/)
    expect(first?.stdout).not.toMatch(/hunter2|OPERATOR/)
  })

  it("meets its limits, and the result says so [P38]", async () => {
    const MEBIBYTE = 1024 * 1024
    const [file, tmp, memory, files, core] = await place.run(
      { script: "head -c 3000000 /dev/zero >large.bin", limits: { fileBytes: MEBIBYTE } },
      { script: "head -c 3000000 /dev/zero >/tmp/large.bin", limits: { tmpBytes: MEBIBYTE } },
      { script: perl('my $x = "x" x 200_000_000; print length $x'), limits: { memoryBytes: 64 * MEBIBYTE } },
      {
        script: perl(
          'my @f; while (@f < 100) { open(my $f, "<", "/dev/null") or die "$!"; push @f, $f } print "all"'
        ),
        limits: { openFiles: 20 }
      },
      "ulimit -c; ulimit -H -c"
    )
    expect(statSync(join(place.root, "large.bin")).size).toBe(MEBIBYTE)
    expect(file?.notes).toContain("it met the limit of 1 MiB for one file; have it write less")
    expect(tmp?.exitCode).not.toBe(0)
    expect(tmp?.notes).toContain(
      "it seems to have met the limit of 1 MiB in its /tmp; have it write elsewhere, or less"
    )
    expect(memory?.stdout).toBe("")
    expect(memory?.notes).toContain(
      "it seems to have met the limit of 64 MiB of memory; give it less to do at once"
    )
    expect(files?.stdout).toBe("")
    expect(files?.notes).toContain(
      "it seems to have met the limit of 20 open files; have it open fewer at once"
    )
    expect(core?.stdout).toBe("0\n0\n")
  })

  it("starts no more processes than its limit, or the limit is refused in words [P38]", async () => {
    // As many as are counted, and none of them starts another.
    const script = perl(
      "my $n = 0; for (1..40) { my $p = fork(); last unless defined $p; if (!$p) { sleep 30; exit } $n++ } print $n; kill 9, -getpgrp if 0"
    )
    const [bounded, unwritten] = await place.run({ script, limits: { processes: 12 } }, "true")
    if (uid === 0) {
      expect(bounded?.stderr).toMatch(
        /^LIMIT_EXCEEDED: the policy limits processes, and the system exempts root/
      )
      expect(unwritten?.notes).toEqual([
        "the number of its processes was not limited, because the system exempts root from that and cgroup v2 may not be used here"
      ])
      return
    }
    expect(Number(bounded?.stdout)).toBeGreaterThan(0)
    expect(Number(bounded?.stdout)).toBeLessThan(12)
    expect(unwritten?.notes).toEqual([])
  })

  it("runs no longer than its policy lets it [P36]", async () => {
    const [late] = await place.run({ script: "sleep 10000", limits: { seconds: 1 } })
    expect(late?.stderr).toMatch(/^TIMED_OUT: 'sh' was stopped after 1000 ms/)
  })

  it("ends as it would without what holds it [I30]", async () => {
    const ends = await place.run(
      "exit 0",
      "exit 7",
      "exit 42",
      "exit 126",
      "exit 127",
      "exit 255",
      "no-such-command-anywhere",
      "kill -TERM $$",
      "kill -KILL $$"
    )
    expect(ends.map(({ exitCode }) => exitCode)).toEqual([0, 7, 42, 126, 127, 255, 127, 143, 137])
  })
})
