/** Shorter names, where nobody reads them. */
import { minifySync } from "rolldown/utils"

/**
 * Every character of the text is one byte, in a file and for V8. Stack traces show what functions and classes are called:
 * where somebody sees those, these names stay.
 */
export const shortened = (
  text: string,
  { functions, module = true }: { readonly functions: boolean; readonly module?: boolean }
): string => {
  const keepNames = { function: functions, class: functions }
  const { code, errors } = minifySync(module ? "module.mjs" : "script.cjs", text, {
    module,
    compress: { target: "node20", keepNames },
    mangle: { toplevel: true, keepNames },
    codegen: { asciiOnly: true, legalComments: "none" }
  })
  const [error] = errors
  if (error !== undefined) throw new Error(error.message)
  return code.trimEnd()
}
