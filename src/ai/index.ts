/**
 * A registry at work for a model, through whatever client a program has: Vercel's AI SDK, or the plain JSON of a
 * provider. Neither needs a package beside this one. For `@effect/ai` there is `bailiwick/ai/effect`.
 *
 * @since 0.1.0
 */

export * as AiSdk from "./AiSdk.js"
export * as Json from "./Json.js"
