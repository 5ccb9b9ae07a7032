/**
 * Whether children can be held here. It is no guess: a sandbox is started, as every child has it, and `true` runs in it.
 *
 * @since 0.1.0
 */
import { type ChildProcess, spawn } from "node:child_process"
import { readFileSync, realpathSync } from "node:fs"
import { Effect } from "effect"
import type { Plan } from "../../../../policy/confinement/Plan.js"
import { type Programs, type Wrapped, wrap } from "../Bwrap.js"
import { settle } from "../ChildLimits.js"
import { withoutInherited } from "../Inherited.js"
import { PROGRAM } from "../seatbelt/Seatbelt.js"
import { isKnown } from "../seccomp/SeccompFilter.js"
import { diagnose, missing, type Read, type Unheld, unsupported } from "./diagnosis.js"
import { profiling } from "./profiling.js"
import { check, locate } from "./trusted.js"

/**
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /** Where bwrap is looked for: the operator's path. */
  readonly path: string | undefined
  /** The absolute path of bwrap, where it is not to be looked for. */
  readonly bwrap?: string | undefined
  /** Reads a file that says something of the system: the real one, if it is left out. */
  readonly read?: Read | undefined
  /** @internal */
  readonly platform?: NodeJS.Platform | undefined
  /** @internal */
  readonly seatbelt?: string | undefined
}

/**
 * How children are held: by bwrap, or by profiles of macOS.
 *
 * @since 0.1.0
 * @category models
 */
export type Probed =
  | { readonly held: true; readonly by: "bwrap"; readonly programs: Programs }
  | { readonly held: true; readonly by: "seatbelt"; readonly program: string }
  | ({ readonly held: false; readonly isExpected: boolean } & Unheld)

const readReal: Read = (path) => {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return undefined
  }
}

const unheld = (found: Unheld): Probed => ({
  held: false,
  isExpected: found.kind !== "unsupported",
  ...found
})

/** With a mount by descriptor, as every real plan has one. */
const planOf = (binary: string): Plan => ({
  mounts: [{ path: "/usr", kind: "tree", access: "read" }],
  covers: [],
  links: [],
  cwd: "/",
  binary,
  reaches: false,
  doors: [],
  leftOut: []
})

const started = ({ args, descriptors, env, file }: Wrapped): ChildProcess =>
  withoutInherited(3 + descriptors.length, (rest) =>
    spawn(file, [...args], {
      cwd: "/",
      env: { ...env },
      detached: true,
      stdio: ["ignore", "ignore", "pipe", ...descriptors, ...rest]
    })
  )

const PATIENCE_MILLIS = 20_000

interface Ended {
  readonly code: number | null
  readonly said: string
}

/** Whatever keeps it from starting is an end too. */
const run = (programs: Programs): Effect.Effect<Ended> =>
  Effect.async((resume) => {
    let wrapped: Wrapped
    let child: ChildProcess
    try {
      const path = locate("true", undefined)
      const found = path.at ?? "/bin/true"
      const plan = planOf(realpathSync(found))
      wrapped = wrap(programs, { plan, found, argv: [found], env: {}, limits: settle({}), waits: false })
      child = started(wrapped)
      wrapped.started()
    } catch (cause) {
      return resume(Effect.succeed({ code: null, said: cause instanceof Error ? cause.message : "" }))
    }
    let said = ""
    const kill = () => {
      wrapped.inside.kill()
      child.kill("SIGKILL")
    }
    const timer = setTimeout(kill, PATIENCE_MILLIS)
    const end = (ended: Ended) => {
      clearTimeout(timer)
      wrapped.ended()
      resume(Effect.succeed(ended))
    }
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      said += text
    })
    child.once("error", ({ message }) => end({ code: null, said: message }))
    child.once("close", (code) => end({ code, said }))
    return Effect.sync(kill)
  })

/**
 * @since 0.1.0
 * @category constructors
 */
export const probe = (options: Options): Effect.Effect<Probed> =>
  Effect.suspend(() => {
    const { platform = process.platform, seatbelt = PROGRAM } = options
    if (platform === "linux") return onLinux(options)
    if (platform !== "darwin") return Effect.succeed(unheld(unsupported(platform)))
    return Effect.map(profiling(seatbelt, planOf("/usr/bin/true")), (trouble) =>
      trouble === undefined ? { held: true, by: "seatbelt", program: seatbelt } : unheld(trouble)
    )
  })

const onLinux = ({ bwrap, path, read = readReal }: Options): Effect.Effect<Probed> =>
  Effect.suspend(() => {
    if (!isKnown(process.arch)) {
      return Effect.succeed(
        unheld({
          kind: "forbidden",
          why: `there is no filter of system calls for ${process.arch}`,
          remedy: "use x86_64 or aarch64"
        })
      )
    }
    const [outer, inner] = [
      bwrap === undefined ? locate("bwrap", path) : check(bwrap),
      locate("prlimit", undefined)
    ]
    if (outer.at === undefined) return Effect.succeed(unheld(missing(read, "bwrap", outer.why)))
    if (inner.at === undefined) return Effect.succeed(unheld(missing(read, "prlimit", inner.why)))
    const programs = { bwrap: outer.at, prlimit: inner.at }
    return Effect.map(
      run(programs),
      ({ code, said }): Probed =>
        code === 0 ? { held: true, by: "bwrap", programs } : unheld(diagnose(read, said))
    )
  })
