/** The category `process`, as the table of categories has it. */
import { Either } from "effect"
import { parseName } from "../../policy/lattice/dimensions/Command.js"
import { backendOf, type Description } from "../Category.js"
import { everything, nothing, scopesOf } from "../scopes.js"
import type { IfUnused, List, Quoted, Undeclared } from "../sentences.js"
import { Process, ProcessDeclaration } from "./Process.js"
import { ProcessBackend } from "./ProcessBackend.js"
import { ProcessError } from "./ProcessOperations.js"
import { scoped, standing } from "./ScopedProcess.js"

type Declared = typeof ProcessDeclaration.Type

/** The sentence about a requirement that is not covered. */
export type Complaint<X> =
  X extends Process.Binary<infer B>
    ? Undeclared<`process.allowedBinaries needs '${B}'`>
    : X extends Process.Shell
      ? Undeclared<"process.allowedBinaries needs '*' (a shell can run anything)">
      : X extends Process
        ? Undeclared<"process">
        : never

/** A sentence for each binary that is declared and never used. */
export type Unused<R, D> = Process extends R ? never : UnusedBinary<R, List<D, "allowedBinaries">>

type UnusedBinary<R, B extends string> = B extends unknown
  ? IfUnused<R, Process.Declared<B>, `process.allowedBinaries ${Quoted<B>}`>
  : never

const ANY = "*"

export const category = {
  declaration: ProcessDeclaration,
  error: ProcessError,
  tags: [Process],
  backends: [ProcessBackend],
  facet: "process",
  aliases: ["proc", "processes", "exec", "spawn", "shell", "commands", "binaries"],
  surface: ({ allowedBinaries }) => [{ label: "process", items: allowedBinaries }],
  listed: ({ allowedBinaries }) =>
    allowedBinaries.map((name) => ({
      key: "process.allowedBinaries",
      value: name,
      alone: { allowedBinaries: [name] },
      open: name === ANY
    })),
  authority: ({ allowedBinaries }, { deferred }) => {
    if (deferred === "everything" && allowedBinaries.includes(ANY)) {
      return Either.right({ process: everything.process })
    }
    const named = allowedBinaries.filter((name) => name !== ANY)
    return Either.map(scopesOf(nothing.process.exec, "argv", parseName, named), (exec) => ({
      process: { exec, eval: nothing.process.eval }
    }))
  },
  services: (_, making) => {
    const { holder, paths, pins } = making
    const backend = backendOf(making, ProcessBackend)
    const operations = scoped(holder, paths, backend, pins)
    return [[Process.key, Process.make(operations, standing(holder, backend))]]
  }
} as const satisfies Description<Declared>
