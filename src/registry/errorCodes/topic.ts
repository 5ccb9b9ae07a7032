/** One part of the table of codes: what its codes are is taken from where they are used, what they mean is said here. */

/**
 * Why a code is met, and what to do about it: one sentence each, for an operator.
 *
 * @since 0.1.0
 * @category models
 */
export interface CauseAndRemedy {
  readonly cause: string
  readonly remedy: string
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Entry<out C extends string = string> extends CauseAndRemedy {
  readonly code: C
  /** The title of the topic. */
  readonly topic: string
  /** Where it is met: the classes of errors and the data that carry it. */
  readonly in: ReadonlyArray<string>
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Topic<out C extends string = string> {
  readonly title: string
  /** Who speaks of them, and when. */
  readonly about: string
  readonly entries: ReadonlyArray<Entry<C>>
}

type Surfaces = Readonly<Record<string, ReadonlyArray<string>>>

type CodeOf<S extends Surfaces> = S[keyof S][number]

/** Every code of the surfaces has its words, and nothing else has. */
export const topic = <const S extends Surfaces>(given: {
  readonly title: string
  readonly about: string
  readonly surfaces: S
  readonly words: { readonly [C in CodeOf<S>]: CauseAndRemedy }
}): Topic<CodeOf<S>> => {
  const { about, surfaces, title, words } = given
  const codes: ReadonlySet<CodeOf<S>> = new Set(Object.values(surfaces).flat())
  return {
    title,
    about,
    entries: [...codes].map((code) => ({
      code,
      topic: title,
      in: Object.keys(surfaces).filter((name) => surfaces[name]?.includes(code)),
      ...words[code]
    }))
  }
}
