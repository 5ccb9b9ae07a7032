/** One case of the contract of processes, and what it is written with. */
import { Effect, Stream } from "effect"
import type { Process } from "../../capabilities/process/Process.js"
import { ProcessBackend } from "../../capabilities/process/ProcessBackend.js"
import type {
  ProcessError,
  ProcessInput,
  ProcessOperations
} from "../../capabilities/process/ProcessOperations.js"
import type { Proof } from "../../policy/gate/Proof.js"
import * as Request from "../../policy/lattice/Request.js"
import * as Sandbox from "../../policy/Sandbox.js"
import { ContractBroken, type Case as Shared, unique } from "./contract.js"
import { type Holding, permitsFor } from "./permits.js"

/**
 * Where the commands run, and what else the cases may know.
 *
 * @since 0.1.0
 * @category models
 */
export interface Rig {
  /** An absolute path of a directory that is there, may be written in, and is reached without a link. */
  readonly directory: string
  /** How the policy has commands held; as where nothing is written, if it is left out. */
  readonly sandbox?: Sandbox.Given
  /** A variable of the operator's environment that is no child's business. Without it there is no case about it. */
  readonly operator?: { readonly name: string; readonly value: string }
  /** What the backend was made with: the most bytes that are kept of one output. Without it there are no cases about limits. */
  readonly limits?: { readonly outputBytes: number }
}

/**
 * `about` says what a backend must have for the case to apply. `commands`: every one, also a mock that knows `echo`,
 * `cat`, `true`, `false`, `printf`, `pwd`, `env`, `sleep` and the few scripts of these cases. `binaries`, `environment`,
 * `directories`, `streams` and `ending`: one that starts programs on a POSIX system. `limits`: one that has them.
 *
 * @since 0.1.0
 * @category models
 */
export interface Case extends Shared<ProcessBackend, ProcessError> {
  readonly about: "commands" | "binaries" | "environment" | "directories" | "streams" | "ending" | "limits"
}

/** Where a command runs, if not in the directory of the rig, what goes with it, and what it is sent while it runs. */
export interface Given extends ProcessBackend.Surroundings {
  readonly in?: string
  readonly by?: Holding
  readonly input?: ProcessInput
}

type Words = readonly [binary: string, ...args: ReadonlyArray<string>]

export interface Bench {
  readonly backend: ProcessBackend.Service
  readonly rig: Rig
  readonly limits: NonNullable<Rig["limits"]>
  /** Holds every command and every script in the directory of the rig and below, and the files there. */
  readonly own: Holding
  /** Who holds them in another directory. */
  readonly holding: (directory: string) => Holding
  readonly proof: (argv: ReadonlyArray<string>) => Effect.Effect<Proof<Request.Scoped>>
  readonly shellProof: Effect.Effect<Proof<Request.Scoped>>
  readonly spawn: (argv: Words, given?: Given) => Effect.Effect<Process.Result, ProcessError>
  readonly stream: (argv: Words, given?: Given) => Stream.Stream<Process.Event, ProcessError>
  readonly start: (argv: Words, given?: Given) => ReturnType<ProcessOperations["start"]>
  readonly shell: (script: string, given?: Given) => Effect.Effect<Process.Result, ProcessError>
}

const benchOf = (backend: ProcessBackend.Service, rig: Rig): Bench => {
  const permits = permitsFor(backend)
  const { directory } = rig
  const holding = (below: string) =>
    permits.holding(
      {
        process: { exec: [{ argv: "*", in: `${below}/` }], eval: [`${below}/`] },
        files: { read: [`${below}/`], write: [`${below}/`], delete: [`${below}/`] }
      },
      { session: "session", tool: "contract", sandbox: Sandbox.from(rig.sandbox) }
    )
  const own = holding(directory)
  const asked = (argv: Words, { by = own, in: cwd = directory, input, ...surroundings }: Given = {}) =>
    Effect.map(
      Effect.all([by.ask(Request.exec(argv, cwd)), backend.pin(argv[0])]),
      ([proof, pinned]) => [proof, pinned, surroundings, input] as const
    )
  return {
    backend,
    rig,
    limits: rig.limits ?? { outputBytes: 0 },
    own,
    holding,
    proof: (argv) => own.ask(Request.exec(argv, directory)),
    shellProof: own.ask(Request.shell(directory)),
    spawn: (argv, given) => Effect.flatMap(asked(argv, given), (all) => backend.spawn(...all)),
    stream: (argv, given) => Stream.unwrap(Effect.map(asked(argv, given), (all) => backend.stream(...all))),
    start: (argv, given) => Stream.unwrap(Effect.map(asked(argv, given), (all) => backend.start(...all))),
    shell: (script, { by = own, in: cwd = directory, input, ...surroundings } = {}) =>
      Effect.flatMap(Effect.all([by.ask(Request.shell(cwd)), backend.pinShell]), ([proof, shell]) =>
        backend.shell(proof, shell, script, surroundings, input)
      )
  }
}

/** A directory for a case that needs one, made and removed by commands. */
export const place = <A, E>(
  bench: Bench,
  use: (directory: string) => Effect.Effect<A, E>
): Effect.Effect<A, E | ProcessError | ContractBroken> => {
  const directory = `${bench.rig.directory}/${unique()}`
  const made = Effect.filterOrFail(
    bench.spawn(["mkdir", directory]),
    ({ exitCode }) => exitCode === 0,
    ({ stderr }) => new ContractBroken({ expected: "mkdir", actual: stderr, wanted: "a directory" })
  )
  return Effect.acquireUseRelease(
    made,
    () => use(directory),
    () => Effect.ignore(bench.spawn(["rm", "-rf", "--", directory]))
  )
}

/** All bytes of one output. */
export const bytesOf = (
  events: Iterable<Process.Event | { readonly _tag: "Started" }>,
  channel: "Stdout" | "Stderr"
): Uint8Array =>
  Uint8Array.from(
    [...events].flatMap((event) => (event._tag === channel && "bytes" in event ? [...event.bytes] : []))
  )

export const forever = "sleep 10000"

/** Counts in a file for as long as it runs. Who reads the file knows whether it does. */
export const counting = (name: string): string =>
  `n=0; while :; do n=$((n+1)); echo $n >>${name}; [ $((n % 100)) = 0 ] && : >${name}; done`

/** Each counts in the file `a`, and never ends by itself. */
export const trees: ReadonlyArray<readonly [name: string, script: string]> = [
  ["a child", counting("a")],
  ["a child and its own", `(${counting("a")}) & wait`],
  ["an orphan", `((${counting("a")}) &); ${forever}`],
  [
    "a child that will not hear of its end",
    `trap '' TERM HUP INT; (${counting("a")}) & wait; wait; ${forever}`
  ]
]

/** What a file has that somebody counts in; nothing, if it is not there. */
const countIn = (bench: Bench, directory: string, name: string): Effect.Effect<string, ProcessError> =>
  Effect.map(bench.spawn(["tail", "-n", "1", name], { in: directory }), ({ stdout }) => stdout.trim())

/** Until somebody counts there. */
export const begun = (bench: Bench, directory: string, name: string): Effect.Effect<void, ProcessError> =>
  Effect.flatMap(countIn(bench, directory, name), (count) =>
    count === "" ? begun(bench, directory, name) : Effect.void
  )

/** So many commands run to their end while nobody counts. */
const SILENT = 10

/** Fails where somebody still counts. */
export const silent = (
  bench: Bench,
  directory: string,
  name: string
): Effect.Effect<void, ProcessError | ContractBroken> =>
  Effect.gen(function* () {
    const last = yield* countIn(bench, directory, name)
    for (let i = 0; i < SILENT; i++) {
      const now = yield* countIn(bench, directory, name)
      if (now !== last) {
        return yield* new ContractBroken({ expected: "nobody who counts", actual: now, wanted: last })
      }
    }
  })

export type Definition = (rig: Rig) => Case

export const define =
  (
    about: Case["about"],
    name: string,
    body: (bench: Bench) => Effect.Effect<void, ContractBroken | ProcessError>
  ): Definition =>
  (rig) => ({
    name,
    about,
    run: Effect.flatMap(ProcessBackend, (backend) => Effect.suspend(() => body(benchOf(backend, rig))))
  })
