/**
 * Children that code of the workspace starts by itself. One that inherits the streams of this process would write between
 * what the program prints, and read what is meant for the program.
 */

const [INPUT, OUTPUT, ERRORS] = [0, 1, 2]

let isInputRead = false

/** From now on the input is the program's as well. */
export const keepInput = (): void => {
  isInputRead = true
}

const isInput = (given: unknown, at: number): boolean =>
  given === INPUT || given === process.stdin || (given === "inherit" && at === INPUT)

const isOutput = (given: unknown, at: number): boolean =>
  given === OUTPUT || given === process.stdout || (given === "inherit" && at === OUTPUT)

const redirected = (given: unknown, at: number): unknown => {
  if (isOutput(given, at)) return ERRORS
  return isInputRead && isInput(given, at) ? "ignore" : given
}

const stdioOf = (given: unknown): unknown => {
  if (given === "inherit") return [given, given, given].map(redirected)
  return Array.isArray(given) ? given.map(redirected) : given
}

const optionsOf = (given: unknown): unknown =>
  typeof given === "object" && given !== null && !Array.isArray(given) && "stdio" in given
    ? { ...given, stdio: stdioOf(given.stdio) }
    : given

const redirect = (holder: object, name: string): void => {
  const original: unknown = Reflect.get(holder, name)
  if (typeof original !== "function") return
  const replaced = function (this: unknown, ...args: ReadonlyArray<unknown>): unknown {
    return Reflect.apply(original, this, args.map(optionsOf))
  }
  Reflect.set(holder, name, replaced)
}

/** What they would write to standard output goes to standard error. */
export const redirectChildren = (): void => {
  const children = process.getBuiltinModule("node:child_process")
  // All that do not wait for the child come here.
  redirect(children.ChildProcess.prototype, "spawn")
  for (const name of ["spawnSync", "execFileSync", "execSync"]) redirect(children, name)
  process.getBuiltinModule("node:module").syncBuiltinESMExports()
}
