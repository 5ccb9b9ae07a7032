/**
 * The parts of the effect that `execute` returns. Distributive on purpose: the branches of `cond ? a : b` may differ
 * in all three, and `never`, which stands for an effect not inferred yet, must stay `never`.
 */
import type { Effect } from "effect"

export type SuccessOf<X> = X extends Effect.Effect<infer A, unknown, unknown> ? A : never

export type FailureOf<X> = X extends Effect.Effect<unknown, infer E, unknown> ? E : never

export type RequirementsOf<X> = X extends Effect.Effect<unknown, unknown, infer R> ? R : never

/**
 * What the failures and requirements of `execute` are while it has not been looked at: the compiler first infers all
 * the other options. It accepts every effect, so that a mistake elsewhere is not blamed on `execute`, and it can be
 * told from a real `unknown` or `any`, which are refused.
 *
 * @since 0.1.0
 * @category type-level
 */
export type Pending = {} | null | undefined

/** Yes for `Pending`; no for `unknown`, which has no member `null` to distribute over. Ask after `any`. */
export type IsPending<X, Yes, No> = [X extends null ? true : never] extends [never] ? No : Yes

export type IsAny<X> = 0 extends 1 & X ? true : false
