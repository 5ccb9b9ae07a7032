/** A tree, a child that works in it, and the sweep after its end. */
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import { join } from "node:path"
import { Effect, Either, Schema } from "effect"
import * as Survey from "../../../src/layers/node/sandbox/survey/Survey.js"
import * as Sweep from "../../../src/layers/node/sandbox/sweep/Sweep.js"
import { ask, holder } from "../../../src/policy/gate/Asking.js"
import * as Floor from "../../../src/policy/gate/floor/Floor.js"
import * as Authority from "../../../src/policy/lattice/Authority.js"
import * as Request from "../../../src/policy/lattice/Request.js"
import { folder } from "./folders.js"

export interface Rig {
  readonly root: string
  /** Runs what a child would do in the tree, and sweeps. */
  readonly child: (work: () => void) => Effect.Effect<{
    readonly notes: ReadonlyArray<string>
    readonly heard: ReadonlyArray<string>
  }>
  /** Starts a child that goes on; what is answered sweeps after its end. */
  readonly begun: Effect.Effect<Effect.Effect<ReadonlyArray<string>>>
  readonly there: (path: string) => boolean
  /** What the quarantine has, by where it was. */
  readonly quarantined: () => Readonly<Record<string, string>>
}

export const rig = (
  given: {
    readonly quarantine?: string
    readonly floor?: (root: string) => Floor.Floor
    readonly survey?: Survey.Options
  } = {}
) =>
  Effect.gen(function* () {
    const base = yield* folder
    const root = join(base, "work")
    fs.mkdirSync(root)
    const quarantine = given.quarantine ?? join(base, "quarantine")
    const survey = Survey.make(given.survey)
    const sweeper = Sweep.make({ survey, quarantine })
    const heard: Array<string> = []
    const authority = Schema.decodeSync(Authority.FromJson)({
      files: { read: [`${root}/`], write: [`${root}/`] },
      process: { exec: [{ argv: "*", in: root }] }
    })
    const floor = given.floor?.(root) ?? { ...Floor.standard }
    const request = Request.exec(["true"], root)
    const proof = Either.getOrThrow(
      ask(
        holder({
          authority,
          floor,
          tool: "run_command",
          observe: (decision, asked) => {
            if (!decision.allowed)
              heard.push(`${decision.denial.code} ${decision.denial.capability} ${asked}`)
          }
        }),
        request
      )
    )
    const begun: Rig["begun"] = Effect.gen(function* () {
      const ready = yield* Effect.orDie(sweeper.ready)
      const planned = yield* survey.plan({
        authority,
        floor,
        request: Either.getOrThrow(request),
        cwd: root,
        binary: "/usr/bin/true"
      })
      const sweep = sweeper.begin(planned, ready)
      return Effect.suspend(() => sweep.finish(proof))
    })
    const child: Rig["child"] = (work) =>
      Effect.gen(function* () {
        const finish = yield* begun
        work()
        heard.length = 0
        const notes = yield* finish
        return { notes, heard: heard.map((line) => line.replace(root, "")) }
      })
    const quarantined: Rig["quarantined"] = () =>
      Object.fromEntries(
        (fs.existsSync(quarantine) ? fs.readdirSync(quarantine) : []).flatMap((one) => {
          const listed: ReadonlyArray<{ path: string; as: string }> = JSON.parse(
            fs.readFileSync(join(quarantine, one, "list.json"), "utf8")
          )
          return listed.map(({ as, path }) => [path.slice(root.length), join(quarantine, one, as)])
        })
      )
    const there = (path: string) => fs.lstatSync(join(root, path), { throwIfNoEntry: false }) !== undefined
    return { root, child, begun, there, quarantined } satisfies Rig
  })

export const git = (cwd: string, ...args: ReadonlyArray<string>): string =>
  execFileSync("git", ["-c", "protocol.file.allow=always", ...args], {
    cwd,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: process.env.PATH,
      HOME: cwd,
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_AUTHOR_NAME: "a",
      GIT_AUTHOR_EMAIL: "a@b",
      GIT_COMMITTER_NAME: "a",
      GIT_COMMITTER_EMAIL: "a@b"
    }
  })
