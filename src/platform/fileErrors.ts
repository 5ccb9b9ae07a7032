/** Errors of files as the platform has them. The error of the capability is the cause, so that `absorbed` gives it back. */
import { type PlatformError, SystemError, type SystemErrorReason } from "@effect/platform/Error"
import { Effect } from "effect"
import { FilesError } from "../capabilities/files/FilesOperations.js"

const reasons: { readonly [C in FilesError["code"]]: SystemErrorReason } = {
  PATH_NOT_REACHABLE: "PermissionDenied",
  PATH_INVALID: "InvalidData",
  NOT_FOUND: "NotFound",
  ALREADY_EXISTS: "AlreadyExists",
  NOT_A_FILE: "BadResource",
  NOT_A_DIRECTORY: "BadResource",
  LIMIT_EXCEEDED: "InvalidData",
  QUOTA_EXCEEDED: "PermissionDenied",
  FILES_FAILED: "Unknown"
}

const wrapped = (
  method: string,
  path: string,
  cause: FilesError,
  reason = reasons[cause.code]
): SystemError =>
  new SystemError({
    reason,
    module: "FileSystem",
    method,
    pathOrDescriptor: path,
    description: cause.message,
    cause
  })

/** An operation of files, as a method of the platform. */
export const as = <A, R>(
  method: string,
  path: string,
  operation: Effect.Effect<A, FilesError, R>
): Effect.Effect<A, PlatformError, R> => Effect.mapError(operation, (error) => wrapped(method, path, error))

/** What is not offered to tools, and what to do instead. */
export const refused = (method: string, path: string, remedy: string): SystemError =>
  wrapped(
    method,
    path,
    new FilesError({
      code: "PATH_NOT_REACHABLE",
      detail: `FileSystem.${method} is not offered to tools; ${remedy}`
    })
  )

/** What a handle cannot do as it was opened, or not any more. */
export const unfit = (method: string, path: string, detail: string): SystemError =>
  wrapped(method, path, new FilesError({ code: "FILES_FAILED", detail: `${path} ${detail}` }), "BadResource")

export const tooMuch = (method: string, path: string, detail: string): SystemError =>
  wrapped(method, path, new FilesError({ code: "LIMIT_EXCEEDED", detail: `${path} ${detail}` }))
