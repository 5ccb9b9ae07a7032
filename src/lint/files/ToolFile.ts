/** Which files are tool files: those that make tools, those below a folder `tools`, and what configuration says. */
import { relative, sep } from "node:path"
import { matches } from "./Glob.js"

/** A pattern that begins with `!` takes files out again, whatever else they are. */
export type Patterns = ReadonlyArray<string>

const isTest = (path: string): boolean => /\.(?:test|spec)\.[cm]?[jt]sx?$|(?:^|\/)__tests__\//.test(path)

const isOfPackage = (path: string): boolean => /(?:^|\/)node_modules\//.test(path)

const isBelowTools = (path: string): boolean => /(?:^|\/)tools\//.test(path)

const isDeclaration = (path: string): boolean => /\.d\.(?:[\w-]+\.)?[cm]?ts$/.test(path)

/** The path as patterns and messages write it. */
export const shown = (file: string, cwd: string): string => {
  const path = relative(cwd, file)
  return (path === "" ? file : path).split(sep).join("/")
}

export type Place = "tool" | "other" | "unknown"

/** What the path alone says. */
export const placeOf = (file: string, cwd: string, patterns: Patterns): Place => {
  const path = shown(file, cwd)
  const isOut = patterns.some((pattern) => pattern.startsWith("!") && matches(pattern.slice(1), path))
  if (isOut || isTest(path) || isOfPackage(path) || isDeclaration(path)) return "other"
  const isIn = patterns.some((pattern) => !pattern.startsWith("!") && matches(pattern, path))
  return isIn || isBelowTools(path) ? "tool" : "unknown"
}
