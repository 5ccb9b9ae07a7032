/**
 * What a module has of the time or of chance when it is loaded, a start-up snapshot would give to every process, for ever: an id
 * that was drawn once would be everybody's. Of a module that asks for either there is no snapshot. It is watched from here on,
 * and what stands before this is loaded without being watched.
 */

let isAsked = false
const undoing: Array<() => void> = []

const replace = (owner: object, key: string, replaced: (known: PropertyDescriptor) => PropertyDescriptor) => {
  const known = Object.getOwnPropertyDescriptor(owner, key)
  const given = known ?? { value: Reflect.get(owner, key) }
  Object.defineProperty(owner, key, { ...given, ...replaced(given), configurable: true })
  undoing.push(() => {
    if (known === undefined) Reflect.deleteProperty(owner, key)
    else Object.defineProperty(owner, key, known)
  })
}

type Call = (...args: ReadonlyArray<unknown>) => unknown

const noting = (call: Call): Call =>
  function (this: unknown, ...args) {
    isAsked = true
    return Reflect.apply(call, this, args)
  }

const asked = (owner: object, key: string): void =>
  replace(owner, key, ({ value }) => ({ value: Object.assign(noting(value), value) }))

const watch = (): void => {
  asked(Math, "random")
  asked(Date, "now")
  asked(performance, "now")
  asked(process.hrtime, "bigint")
  asked(process, "hrtime")
  asked(process, "uptime")
  const crypto = process.getBuiltinModule("node:crypto")
  for (const key of Object.keys(crypto)) if (/^(?:random|generate)/.test(key)) asked(crypto, key)
  for (const key of ["getRandomValues", "randomUUID"]) asked(Object.getPrototypeOf(crypto.webcrypto), key)
  replace(globalThis, "Date", () => ({
    value: new Proxy(Date, {
      construct(target, args, made) {
        isAsked ||= args.length === 0
        return Reflect.construct(target, args, made)
      },
      apply: (target) => noting(target as Call)()
    })
  }))
}

/** Whether it has asked by now; it is not watched any more. */
export const hasAsked = (): boolean => {
  for (const undo of undoing.splice(0).reverse()) undo()
  return isAsked
}

if (process.getBuiltinModule("node:v8").startupSnapshot.isBuildingSnapshot()) watch()
