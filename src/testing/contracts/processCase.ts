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
  /** Holds every command and every script in the directory of the rig and below. */
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
      { process: { exec: [{ argv: "*", in: `${below}/` }], eval: [`${below}/`] } },
      { session: "session", tool: "contract" }
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

/** Each holds the pipe with all that it starts, and never ends by itself. */
export const trees: ReadonlyArray<readonly [name: string, script: string]> = [
  ["a child", `exec 3>pipe; echo ready >&3; exec ${forever}`],
  ["a child and its own", `exec 3>pipe; ${forever} & echo ready >&3; wait`],
  ["an orphan", `exec 3>pipe; (${forever} &); echo ready >&3; ${forever}`],
  [
    "a child that will not hear of its end",
    `trap '' TERM HUP INT; exec 3>pipe; ${forever} & echo ready >&3; wait; wait; ${forever}`
  ]
]

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
