/** What a proof leads to, asked of the policy and of what this process keeps for itself. */
import { Either } from "effect"
import { FilesBackend } from "../../../capabilities/files/FilesBackend.js"
import type { FilesError } from "../../../capabilities/files/FilesOperations.js"
import type { Proof } from "../../../policy/gate/Proof.js"
import * as Request from "../../../policy/lattice/Request.js"
import * as Kept from "../disk/Kept.js"
import { kept, type Verb } from "../disk/Trouble.js"

/** Why a path that the policy permits is not opened. */
export const refusal = (proof: Proof<Request.Scoped>, verb: Verb, path: string): FilesError | undefined => {
  const reason = Kept.why(path, verb, proof.session)
  return reason === undefined ? undefined : kept(proof, verb, path, reason)
}

/** That a path may be used as well; a refusal is heard of. */
export const also = (
  proof: Proof<Request.Scoped>,
  verb: Verb,
  path: string
): Either.Either<unknown, FilesError> => {
  const asked = FilesBackend.also(proof, verb, path)
  if (Either.isLeft(asked)) return asked
  const refused = refusal(proof, verb, path)
  return refused === undefined ? asked : Either.left(refused)
}

/** That one thing may be moved from a path to another. */
export const moves = (
  { from, to }: Parameters<FilesBackend.Service["rename"]>[0],
  source: string,
  target: string
): Either.Either<unknown, FilesError> => {
  const asked = FilesBackend.moves({ from, to }, source, target)
  if (Either.isLeft(asked)) return asked
  // What may not be read where it goes is moved unread.
  const reading = reads(to, target) ? refusal(from, "read", source) : undefined
  const refused = refusal(from, "delete", source) ?? refusal(to, "write", target) ?? reading
  return refused === undefined ? asked : Either.left(refused)
}

/** Whether a path may be read as well; nobody hears of the question. */
export const reads = (proof: Proof<Request.Scoped>, path: string): boolean =>
  proof.permits(Request.file("read", path)) && Kept.why(path, "read", proof.session) === undefined
