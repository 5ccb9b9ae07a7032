/** Which codes come with a denial. */
import { type CapabilityError, categories, categoryNames } from "../../capabilities/Capabilities.js"
import { Code } from "../../policy/lattice/Denial.js"
import { ScopeInvalid } from "../../policy/lattice/ScopeInvalid.js"

const isDenied = <C extends string>(code: C): code is C & Code =>
  (Code.literals as ReadonlyArray<string>).includes(code)

/** Those of an error that a denial may have too. */
export const deniedOf = <C extends string>(codes: ReadonlyArray<C>): ReadonlyArray<C & Code> =>
  codes.filter(isDenied)

type Elsewhere = CapabilityError["code"] | ScopeInvalid["code"]

const elsewhere: ReadonlySet<string> = new Set<string>([
  ...categoryNames.flatMap((name) => categories[name].error.fields.code.literals),
  ...ScopeInvalid.fields.code.literals
])

/** Those of a denial that no error has. */
export const onlyDenied: ReadonlyArray<Exclude<Code, Elsewhere>> = Code.literals.filter(
  (code): code is Exclude<Code, Elsewhere> => !elsewhere.has(code)
)
