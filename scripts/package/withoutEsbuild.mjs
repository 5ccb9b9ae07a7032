/** For `node --import`: nothing of the program finds esbuild, as where it is not installed. */
import { register } from "node:module"

const hooks = `export const resolve = (name, context, next) => {
  if (name !== "esbuild") return next(name, context)
  throw Object.assign(new Error("esbuild is not there"), { code: "ERR_MODULE_NOT_FOUND" })
}`

register(`data:text/javascript,${encodeURIComponent(hooks)}`)
