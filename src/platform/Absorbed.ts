/**
 * The way back from the errors of `@effect/platform` to those of the capabilities.
 *
 * @since 0.1.0
 */
import * as PlatformError from "@effect/platform/Error"
import * as HttpClientError from "@effect/platform/HttpClientError"
import { Effect } from "effect"
import { type CapabilityError, categories, categoryNames } from "../capabilities/Capabilities.js"
import { FilesError } from "../capabilities/files/FilesOperations.js"
import { placeOf } from "../capabilities/network/Http.js"
import { NetworkError } from "../capabilities/network/NetworkOperations.js"
import { ProcessError } from "../capabilities/process/ProcessOperations.js"
import { StorageError } from "../capabilities/storage/StorageOperations.js"

type Foreign = HttpClientError.HttpClientError | PlatformError.PlatformError

/** Errors of libraries wrap errors of libraries, but not without end; a circle would be one. */
const DEPTH = 16

const isOurs = (error: unknown): error is CapabilityError =>
  categoryNames.some((name) => error instanceof categories[name].error)

/** The error of a capability that an error is, or that it was caused by. */
const wrappedIn = (error: unknown): CapabilityError | undefined => {
  let at = error
  for (let depth = 0; depth < DEPTH && typeof at === "object" && at !== null; depth++) {
    if (isOurs(at)) return at
    at = "cause" in at ? at.cause : undefined
  }
  return undefined
}

const statusOf = (error: HttpClientError.HttpClientError): string =>
  error._tag === "ResponseError" ? ` with status ${error.response.status}` : ""

const codes = {
  Transport: "REQUEST_FAILED",
  Encode: "REQUEST_FAILED",
  InvalidUrl: "URL_INVALID",
  StatusCode: "STATUS_NOT_OK",
  Decode: "DECODE_FAILED",
  EmptyBody: "DECODE_FAILED"
} as const

const words = {
  Transport: "was not answered",
  Encode: "could not be written",
  InvalidUrl: "is not a URL",
  StatusCode: "answered",
  Decode: "answered what cannot be read",
  EmptyBody: "answered nothing"
} as const

/** Without the description, which may hold what was sent or answered. */
const ofHttp = (error: HttpClientError.HttpClientError): NetworkError =>
  new NetworkError({
    code: codes[error.reason],
    detail: `${error.request.method} ${placeOf(error.request.url)} ${words[error.reason]}${statusOf(error)}`
  })

const fileCodes: { readonly [R in PlatformError.SystemErrorReason]?: FilesError["code"] } = {
  AlreadyExists: "ALREADY_EXISTS",
  NotFound: "NOT_FOUND",
  PermissionDenied: "PATH_NOT_REACHABLE"
}

const ofPlatform = (error: PlatformError.PlatformError): CapabilityError => {
  const detail = error.message
  switch (error.module) {
    case "KeyValueStore":
      return new StorageError({ code: "STORAGE_FAILED", detail })
    case "Command":
      return new ProcessError({ code: "SPAWN_FAILED", detail })
    default:
      return new FilesError({
        code: (error._tag === "SystemError" ? fileCodes[error.reason] : undefined) ?? "FILES_FAILED",
        detail
      })
  }
}

/**
 * Gives the errors of `@effect/platform` back as errors of the capabilities, which a tool need not declare. An error that
 * wraps one of a capability becomes that one, with its code and its denial. What is no error of the platform stays, unless
 * it wraps one of a capability.
 *
 * @since 0.1.0
 * @category errors
 */
export const absorbed = <A, E, R>(
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, Exclude<E, Foreign> | CapabilityError, R> =>
  Effect.mapError(effect, (error) => {
    const ours = wrappedIn(error)
    if (ours !== undefined) return ours
    if (HttpClientError.isHttpClientError(error)) return ofHttp(error)
    if (PlatformError.isPlatformError(error)) return ofPlatform(error)
    return error as Exclude<E, Foreign>
  })
