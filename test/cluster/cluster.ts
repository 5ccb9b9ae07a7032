/** A cluster of real processes over a real PostgreSQL, and a client of it in this process. */
import { type ChildProcess, spawn } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { PgClient } from "@effect/sql-pg"
import { Turn } from "bailiwick"
import { ClusterRegistry } from "bailiwick/cluster"
import { NodeSecrets } from "bailiwick/node"
import { Effect, Layer, Logger, LogLevel, Redacted, Schedule } from "effect"
import { scratch } from "../../scripts/lib/project.js"
import { afterTest } from "../cleanup.js"
import { programOf } from "../program.js"
import { policy } from "./tools.js"

export const KEY = "a key of the cluster for tests, and for nothing else"

/** Nobody is given up for being silent: on a busy machine a runner may have to wait for a processor. */
export const settings: ClusterRegistry.Settings = {
  key: "CLUSTER_KEY",
  shards: 24,
  failover: { silence: "5 minutes", look: "300 millis", poll: "50 millis" }
}

/** For a test that waits for a runner to be given up. */
export const hasty: ClusterRegistry.Settings = {
  ...settings,
  failover: { ...settings.failover, silence: "4 seconds" }
}

/** Asks again until it is so; whoever waits for what never comes hangs, and is seen. */
export const eventually = (is: () => boolean): Effect.Effect<void> =>
  Effect.asVoid(Effect.repeat(Effect.sync(is), { until: (so) => so, schedule: Schedule.spaced("10 millis") }))

export interface Runner {
  readonly child: ChildProcess
  readonly port: number
  readonly pid: number
  /** Settles with its exit code, or the signal that ended it. */
  readonly ended: Promise<number | string>
  readonly output: () => string
}

export class Cluster {
  private readonly folder: string
  readonly runners: Array<Runner> = []
  /** Those too that are not ready yet, and may never be. */
  private readonly children: Array<ChildProcess> = []

  constructor(
    readonly url: string,
    private readonly given: ClusterRegistry.Settings = settings
  ) {
    mkdirSync(scratch, { recursive: true })
    this.folder = mkdtempSync(join(scratch, "cluster-"))
    writeFileSync(this.journalFile, "")
    afterTest(() => {
      for (const child of this.children) if (child.exitCode === null) child.kill("SIGKILL")
      rmSync(this.folder, { recursive: true, force: true })
    })
  }

  get journalFile(): string {
    return join(this.folder, "journal")
  }

  gate(name: string): string {
    return join(this.folder, name)
  }

  open(name: string): void {
    writeFileSync(this.gate(name), "")
  }

  /** Lines as `start key pid`. */
  get journal(): ReadonlyArray<ReadonlyArray<string>> {
    return readFileSync(this.journalFile, "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => line.split(" "))
  }

  count(what: string, key?: string): number {
    return this.journal.filter((line) => line[0] === what && (key === undefined || line[1] === key)).length
  }

  async start(environment: Record<string, string> = {}): Promise<Runner> {
    const program = await programOf("test/cluster/worker.ts")
    const child = spawn(process.execPath, ["--no-deprecation", program], {
      env: {
        PATH: process.env.PATH,
        CLUSTER_URL: this.url,
        CLUSTER_KEY: KEY,
        CLUSTER_SETTINGS: JSON.stringify(this.given),
        CLUSTER_JOURNAL: this.journalFile,
        ...environment
      },
      stdio: ["ignore", "pipe", "inherit"]
    })
    this.children.push(child)
    let output = ""
    const ended = new Promise<number | string>((resolve) =>
      child.once("exit", (code, signal) => resolve(code ?? signal ?? ""))
    )
    const port = await new Promise<number>((resolve, reject) => {
      child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
        output += chunk
        const found = /^ready (\d+)$/m.exec(output)
        if (found !== null) resolve(Number(found[1]))
      })
      void ended.then((how) => reject(new Error(`the runner ended before it was ready: ${how} ${output}`)))
    })
    const runner = { child, port, pid: child.pid ?? 0, ended, output: () => output }
    this.runners.push(runner)
    return runner
  }

  startAll(count: number): Promise<ReadonlyArray<Runner>> {
    return Promise.all(Array.from({ length: count }, () => this.start()))
  }

  /** What a client stands on. */
  get client(): Layer.Layer<ClusterRegistry.ClusterClient, unknown> {
    return ClusterRegistry.layerClient(this.given).pipe(
      Layer.provide(PgClient.layer({ url: Redacted.make(this.url), maxConnections: 8 })),
      Layer.provide(NodeSecrets.layerEnvironment({ environment: { CLUSTER_KEY: KEY } })),
      Layer.provide(Logger.minimumLogLevel(LogLevel.None))
    )
  }

  run<A, E>(effect: Effect.Effect<A, E, ClusterRegistry.ClusterClient>): Promise<A> {
    return Effect.runPromise(Effect.provide(effect, this.client))
  }
}

export const turnOf = (session: string, options: Partial<Turn.Options> = {}): Turn.Turn =>
  Turn.make({ session, policy, workdir: "/", ...options })
