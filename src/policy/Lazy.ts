/** Worked out when it is first asked for, and once. */
export const lazy = <A>(work: () => A): (() => A) => {
  let done: { readonly value: A } | undefined
  return () => {
    done ??= { value: work() }
    return done.value
  }
}
