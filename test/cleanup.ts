/**
 * What a helper leaves to be cleared away after each test. Test files share the modules that they load, so a hook that a
 * helper registers itself would be the first file's alone; the setup, which runs for each, has this one.
 */
const left: Array<() => void> = []

export const afterTest = (clear: () => void): void => {
  left.push(clear)
}

export const clearAll = (): void => {
  for (const clear of left.splice(0)) clear()
}
