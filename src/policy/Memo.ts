export const getOrSet = <K, V>(
  map: { readonly get: (key: K) => V | undefined; readonly set: (key: K, value: V) => unknown },
  key: K,
  make: () => V
): V => {
  const held = map.get(key)
  if (held !== undefined) return held
  const made = make()
  map.set(key, made)
  return made
}

/** Worked out when it is first asked for, and once. */
export const lazy = <A>(work: () => A): (() => A) => {
  let done: { readonly value: A } | undefined
  return () => {
    done ??= { value: work() }
    return done.value
  }
}
