/**
 * @since 0.1.0
 */
import { Effect, Stream } from "effect"
import type { Holder } from "../../policy/gate/Asking.js"
import * as Gate from "../../policy/gate/Gate.js"
import type { Proof } from "../../policy/gate/Proof.js"
import * as Request from "../../policy/lattice/Request.js"
import { type Paths, resolve } from "../Paths.js"
import type { Process } from "./Process.js"
import type { ProcessBackend } from "./ProcessBackend.js"
import { type ProcessCommand, ProcessError } from "./ProcessOperations.js"
import { type Served, served } from "./Served.js"
import { startIn } from "./StartIn.js"

const gate = (holder: Holder, backend: ProcessBackend.Service) =>
  Gate.make(holder, backend, {
    denied: (denial) =>
      new ProcessError({
        code:
          denial.code === "SHELL_NOT_ALLOWED" || denial.code === "CWD_NOT_REACHABLE"
            ? denial.code
            : "BINARY_NOT_ALLOWED",
        detail: denial.detail,
        denial
      }),
    malformed: ({ code, detail }, denial) => {
      const as = code === "PATH_INVALID" ? "CWD_NOT_REACHABLE" : "BINARY_NOT_ALLOWED"
      return new ProcessError({ code: as, detail, denial: { ...denial, code: as } })
    }
  })

/** What the shell is remembered by. No command has this name. */
const SHELL = "\u0000"

const replaceable = (proof: Proof<Request.Scoped>, name: string): ProcessError => {
  const code = "BINARY_NOT_ALLOWED"
  const detail = `${name} is a file that this tool may write, or lies behind one; keep commands out of its write reach`
  const denial = proof.refuse({
    reason: "scope_violation",
    code,
    detail,
    capability: proof.request.capability,
    asked: Request.summary(proof.request),
    held: [],
    remedy: "take the directory of the command out of the tool's write reach"
  })
  return new ProcessError({ code, detail, denial })
}

/**
 * Commands, each asked of the authority first, with the directory that it will run in: the one that is given, the
 * working directory, or else the root in which it may run. A name stands for the binary
 * that it stood for when it was first needed, and one that the tool itself could replace is refused.
 *
 * @since 0.1.0
 * @category combinators
 */
export const scoped = (
  holder: Holder,
  paths: Paths,
  backend: ProcessBackend.Service,
  pins: Map<string, ProcessBackend.Pinned> = new Map()
): Process.Operations & Served => {
  const { allows, ask, logged, loggedStream } = gate(holder, backend)
  const directory = (
    verb: "exec" | "eval",
    cwd: string | undefined,
    request: (directory: string) => Request.Made
  ) =>
    cwd === undefined
      ? startIn(holder.authority, verb, resolve(paths.workdir, paths), (where) => allows(request(where)))
      : resolve(cwd, paths)
  const isWritable = ({ found, path, way }: ProcessBackend.Pinned) =>
    [found, path, ...way].some((file) => file.startsWith("/") && allows(Request.file("write", file)))
  const found = (
    key: string,
    pin: Effect.Effect<ProcessBackend.Pinned, ProcessError>
  ): Effect.Effect<ProcessBackend.Pinned, ProcessError> => {
    const known = pins.get(key)
    return known !== undefined
      ? Effect.succeed(known)
      : Effect.tap(pin, (binary) => Effect.sync(() => pins.set(key, binary)))
  }
  // Pins are shared by tools, and what one may not write another may.
  const vetted = new Map<string, ProcessBackend.Pinned>()
  const pinned = (
    proof: Proof<Request.Scoped>,
    key: string,
    pin: Effect.Effect<ProcessBackend.Pinned, ProcessError>
  ): Effect.Effect<ProcessBackend.Pinned, ProcessError> => {
    const known = vetted.get(key)
    if (known !== undefined) return Effect.succeed(known)
    return Effect.flatMap(found(key, pin), (binary) => {
      if (isWritable(binary)) return logged(Effect.fail(replaceable(proof, binary.name)))
      vetted.set(key, binary)
      return Effect.succeed(binary)
    })
  }
  const command = ({ args, binary, cwd, ...rest }: typeof ProcessCommand.Type) => {
    const request = (where: string) => Request.exec([binary, ...args], where)
    return Effect.flatMap(ask(request(directory("exec", cwd, request))), (proof) =>
      Effect.map(pinned(proof, binary, backend.pin(binary)), (found) => ({ proof, found, rest }))
    )
  }
  return {
    spawn: (given, input) =>
      Effect.flatMap(command(given), ({ found, proof, rest }) =>
        logged(backend.spawn(proof, found, rest, input))
      ),
    stream: (given, input) =>
      Stream.unwrap(
        Effect.map(command(given), ({ found, proof, rest }) =>
          loggedStream("process.exec", backend.stream(proof, found, rest, input))
        )
      ),
    start: (given, input) =>
      Stream.unwrap(
        Effect.map(command(given), ({ found, proof, rest }) =>
          loggedStream("process.exec", backend.start(proof, found, rest, input))
        )
      ),
    serve: (given, ears) =>
      Effect.flatMap(command(given), ({ found, proof, rest }) =>
        logged(
          backend.serve === undefined
            ? served(backend.start, { proof, found, rest }, ears)
            : backend.serve(proof, found, rest, ears)
        )
      ),
    foreseen: ({ args, binary, cwd }) => {
      const { sees } = backend
      if (sees === undefined) return Effect.succeed(undefined)
      const request = (where: string) => Request.exec([binary, ...args], where)
      const quiet = gate({ ...holder, observe: () => {}, log: () => Effect.void }, backend)
      return Effect.flatMap(quiet.ask(request(directory("exec", cwd, request))), (proof) =>
        Effect.flatMap(pinned(proof, binary, backend.pin(binary)), (found) => sees(proof, found))
      )
    },
    shell: ({ cwd, script, ...rest }, input) =>
      Effect.flatMap(ask(Request.shell(directory("eval", cwd, Request.shell))), (proof) =>
        Effect.flatMap(pinned(proof, SHELL, backend.pinShell), (shell) =>
          logged(backend.shell(proof, shell, script, rest, input))
        )
      )
  }
}

/**
 * Refuses once the call has ended, and in the hands of another tool: for a running command, which is asked for once and used
 * for longer.
 *
 * @since 0.1.0
 * @category combinators
 */
export const standing = (
  holder: Holder,
  backend: ProcessBackend.Service
): Effect.Effect<void, ProcessError> => gate(holder, backend).standing("process.exec")
