/** Sentences about a failure of `execute` that no failure schema declares: each says what to write. */

/** The sentence about one failure. */
export type UndeclaredFailure<E> = E extends { readonly _tag: infer Tag extends string }
  ? Tag extends keyof Others
    ? `failure not declared: '${Tag}': ${Others[Tag]}`
    : `failure not declared: write 'failure: ${Tag}' where ${Tag} is a Schema.TaggedError, add it to the Schema.Union that is there, or handle it with Effect.catchTag('${Tag}', …)`
  : E extends string
    ? "failure not declared: write 'failure: Schema.String', or fail with a Schema.TaggedError"
    : E extends Error
      ? "failure not declared: an Error without a tag: fail with a Schema.TaggedError, and give it as failure"
      : "failure not declared: fail with a Schema.TaggedError, and give it as failure"

/** The sentence about failures of which nothing is known. */
export type UnknownFailure<Type extends string> =
  `failure not declared: execute fails with '${Type}': map it to a Schema.TaggedError with Effect.mapError, and give that as failure`

/** Failures of Effect and of its platform are not for models: what to do instead of declaring one. */
interface Others {
  readonly TimeoutException: "write Effect.timeoutFail with a failure of your own, or set the option 'deadline'"
  readonly ParseError: "map it to a failure of your own with Effect.mapError, or end the call with Effect.orDie"
  readonly UnknownException: "give Effect.try or Effect.tryPromise a 'catch' that makes a failure of your own"
  readonly NoSuchElementException: OrHandled
  readonly IllegalArgumentException: OrHandled
  readonly ExceededCapacityException: OrHandled
  readonly RequestError: OfPlatform
  readonly ResponseError: OfPlatform
  readonly SystemError: OfPlatform
  readonly BadArgument: OfPlatform
  readonly ConfigError: "read configuration where the tool is made, or map it to a failure of your own with Effect.mapError"
}

type OfPlatform =
  "give the effect to 'absorbed' of bailiwick/platform, or map it to a failure of your own with Effect.mapError"

type OrHandled = "handle it with Effect.catchTag, or map it to a failure of your own with Effect.mapError"
