/** The rule: a tool touches the world through its capabilities, and through nothing else. */
import { isAbsolute } from "node:path"
import { type Look, lookAt } from "./files/Look.js"
import { placeOf, shown } from "./files/ToolFile.js"
import { reached } from "./helpers/Reach.js"
import type { Context, Options, Rule } from "./Plugin.js"
import type { Node } from "./syntax/Node.js"
import { remedies } from "./tables/Remedy.js"

const withoutPrefix = (name: string): string => name.replace(/^node:/, "")

/** Engines lint other things than text, too. */
const textOf = ({ sourceCode }: Context): string => {
  const { text } = sourceCode as { readonly text?: unknown }
  return typeof text === "string" ? text : ""
}

const listOfTexts = { type: "array", items: { type: "string" }, uniqueItems: true }

/** What a tool file finds in itself and behind its imports, in words. */
const report = (context: Context, file: Look, options: Options): void => {
  const { cwd, filename } = context
  const { allow = [], files = [], followImports = true } = options
  const allowed = new Set(allow.map(withoutPrefix))
  const parser = context.languageOptions && (context.languageOptions as { readonly parser?: unknown }).parser
  const behind =
    followImports && isAbsolute(filename)
      ? reached(filename, file.imports, parser, (path, { makesTools }) => {
          const place = placeOf(path, cwd, files)
          return place === "tool" || (place === "unknown" && makesTools)
        })
      : []
  const isBridged = file.isBridged || behind.some(({ helper }) => helper.isBridged)
  const isReported = ({ remedy, what }: Look["findings"][number] | Omit<Look["findings"][number], "node">) =>
    !(allowed.has(withoutPrefix(what)) || (isBridged && remedy === "bridge"))

  for (const finding of file.findings.filter(isReported)) {
    const { node, remedy, what } = finding
    context.report({ node, messageId: "ambient", data: { what, remedy: remedies[remedy] } })
  }
  for (const { file: path, helper, through } of behind) {
    const { node, specifier } = through
    const where = shown(path, cwd)
    if (helper.complaint !== undefined)
      context.report({ node, messageId: "unread", data: { specifier, where, complaint: helper.complaint } })
    for (const { line, remedy, what } of helper.findings.filter(isReported)) {
      const data = { specifier, what, where: `${where}:${line}`, remedy: remedies[remedy] }
      context.report({ node, messageId: "helper", data })
    }
  }
}

export const noAmbientAuthority: Rule = {
  meta: {
    type: "problem",
    docs: { description: "Tools touch the world through their capabilities, and through nothing else" },
    messages: {
      ambient: "'{{what}}' goes around what the tool declares. {{remedy}}.",
      helper:
        "'{{specifier}}' leads to '{{what}}' ({{where}}), which goes around what the tool declares. {{remedy}}.",
      unread: "'{{specifier}}' leads to {{where}}, which could not be looked at: {{complaint}}."
    },
    schema: [
      {
        type: "object",
        properties: { files: listOfTexts, allow: listOfTexts, followImports: { type: "boolean" } },
        additionalProperties: false
      }
    ]
  },
  create(context) {
    const options = (context.options[0] ?? {}) as Options
    const place = placeOf(context.filename, context.cwd, options.files ?? [])
    // Whoever makes a tool names the package that tools are made with.
    if (place === "other" || (place === "unknown" && !textOf(context).includes("bailiwick"))) return {}
    return {
      Program(program: Node) {
        const file = lookAt(program)
        if (place === "tool" || file.makesTools) report(context, file, options)
      }
    }
  }
}
