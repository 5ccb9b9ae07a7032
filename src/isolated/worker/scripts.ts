/** Scripts of a worker that is started from a pack: what they import, and what they require of modules, is what modules import. */
import Scripts, { createRequire } from "node:module"
import { dirname } from "node:path"
import { pathToFileURL } from "node:url"
import { compileFunction } from "node:vm"
import { GIVEN, isModule } from "./formats.js"
import type { Linking } from "./linking.js"

interface Script {
  exports: unknown
  require(id: string): unknown
}

type Compile = (this: Script, text: string, path: string, format?: string) => unknown

/** Node reads a script from its file and has it compiled by this, whoever requires it. */
interface Compiling {
  _compile: Compile
}

export const compileScriptsBy = (linking: Linking): void => {
  const compiling = Scripts.prototype as unknown as Compiling
  const compiled = (text: string, path: string) =>
    compileFunction(text, GIVEN, {
      filename: path,
      importModuleDynamically: linking.importing(pathToFileURL(path).href)
    })
  compiling._compile = function (text, path, format) {
    const isRequired = format === "module" || (format !== "commonjs" && isModule(text))
    if (isRequired) {
      this.exports = linking.required(path)
      return undefined
    }
    const require = Object.assign((id: string) => this.require(id), createRequire(path))
    return Reflect.apply(compiled(text, path), this.exports, [
      this.exports,
      require,
      this,
      path,
      dirname(path)
    ])
  }
}
