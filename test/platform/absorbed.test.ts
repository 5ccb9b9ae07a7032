/** Threat: a refusal that a library wraps in an error of its own loses its denial, or tells what was sent. */
import {
  HttpClientError,
  HttpClientRequest,
  HttpClientResponse,
  Error as PlatformError
} from "@effect/platform"
import { describe, expect, it } from "@effect/vitest"
import { FilesError, NetworkError, ProcessError, StorageError } from "bailiwick"
import { absorbed } from "bailiwick/platform"
import { Data, Effect } from "effect"

class LibraryError extends Data.TaggedError("LibraryError")<{ readonly cause?: unknown }> {}

const request = HttpClientRequest.get("https://user:word@api.example.com/things?key=s3cret")
const response = (status: number) => HttpClientResponse.fromWeb(request, new Response("s3cret", { status }))
const refusal = new NetworkError({ code: "HOST_NOT_ALLOWED", detail: "no" })

const system = (module: "FileSystem" | "KeyValueStore" | "Command", cause?: unknown) =>
  new PlatformError.SystemError({ reason: "NotFound", module, method: "m", description: "gone", cause })

const given = <E>(error: E) => Effect.flip(absorbed(Effect.fail(error)))

describe("absorbed", () => {
  it.effect("gives back the error of a capability that a platform error wraps", () =>
    Effect.gen(function* () {
      const wrapped = new HttpClientError.RequestError({ request, reason: "Transport", cause: refusal })
      expect(yield* given(wrapped)).toBe(refusal)
      expect(yield* given(new LibraryError({ cause: wrapped }))).toBe(refusal)
      const file = new FilesError({ code: "PATH_NOT_REACHABLE", detail: "no" })
      expect(yield* given(system("FileSystem", file))).toBe(file)
    })
  )

  it.effect("words what the platform says itself as the capability would, without what was sent", () =>
    Effect.gen(function* () {
      const message = (error: HttpClientError.HttpClientError) => Effect.map(given(error), (e) => e.message)
      const failed = (reason: "Transport" | "Encode" | "InvalidUrl") =>
        message(new HttpClientError.RequestError({ request, reason, description: "s3cret" }))
      const answered = (reason: "StatusCode" | "Decode" | "EmptyBody", status: number) =>
        message(
          new HttpClientError.ResponseError({
            request,
            response: response(status),
            reason,
            description: "s3cret"
          })
        )
      expect(yield* failed("Transport")).toBe(
        "REQUEST_FAILED: GET https://api.example.com/things was not answered"
      )
      expect(yield* failed("Encode")).toBe(
        "REQUEST_FAILED: GET https://api.example.com/things could not be written"
      )
      expect(yield* failed("InvalidUrl")).toBe("URL_INVALID: GET https://api.example.com/things is not a URL")
      expect(yield* answered("StatusCode", 503)).toBe(
        "STATUS_NOT_OK: GET https://api.example.com/things answered with status 503"
      )
      expect(yield* answered("Decode", 200)).toBe(
        "DECODE_FAILED: GET https://api.example.com/things answered what cannot be read with status 200"
      )
      expect(yield* answered("EmptyBody", 200)).toBe(
        "DECODE_FAILED: GET https://api.example.com/things answered nothing with status 200"
      )
    })
  )

  it.effect("takes the error of the category that the platform service stands for", () =>
    Effect.gen(function* () {
      expect(yield* given(system("FileSystem"))).toEqual(
        new FilesError({ code: "NOT_FOUND", detail: "NotFound: FileSystem.m: gone" })
      )
      expect(yield* given(system("KeyValueStore"))).toBeInstanceOf(StorageError)
      expect(yield* given(system("Command"))).toBeInstanceOf(ProcessError)
    })
  )

  it.effect("leaves an error alone that is neither, and a circle of causes too", () =>
    Effect.gen(function* () {
      const own = new LibraryError({})
      expect(yield* given(own)).toBe(own)
      const circle: { cause?: unknown } = {}
      circle.cause = circle
      expect(yield* given(circle)).toBe(circle)
    })
  )
})
