/** One file, looked at: what was found in it, and what there is to know for those who import it. */
import type { Finding } from "../findings/Finding.js"
import { findingsOf } from "../findings/Findings.js"
import { type Module, moduleOf } from "../syntax/Module.js"
import { child, children, literalOf, type Node, text } from "../syntax/Node.js"
import { below, type Reference, References } from "../syntax/Reference.js"
import { bridge } from "../tables/EffectModules.js"

/** A file of the same project that is imported. */
export interface Import {
  readonly node: Node
  readonly specifier: string
}

export interface Look {
  readonly findings: ReadonlyArray<Finding>
  readonly imports: ReadonlyArray<Import>
  readonly makesTools: boolean
  /** Whether it imports the bridge from capabilities to the services of the platform. */
  readonly isBridged: boolean
}

const isMaker = (reference: Reference | undefined): boolean => {
  if (reference?.root.kind !== "module" || reference.root.name !== "bailiwick") return false
  const [namespace, member] = reference.keys
  return namespace === "Tool" && (member === "make" || member === "exact")
}

const makesTools = ({ places, taken }: Module, references: References): boolean =>
  places.some(({ node, scope }) => node.type === "MemberExpression" && isMaker(references.of(node, scope))) ||
  taken.some(({ source: { keys, node, scope } }) => isMaker(below(references.of(node, scope), keys)))

const withSource = new Set(["ImportDeclaration", "ExportNamedDeclaration", "ExportAllDeclaration"])

const isOnlyTypes = (node: Node): boolean => {
  const specifiers = children(node, "specifiers")
  return (
    specifiers.length > 0 &&
    specifiers.every((one) => (text(one, "importKind") ?? text(one, "exportKind")) === "type")
  )
}

/** Every module that is named in it, in whatever form. */
const importsOf = ({ places }: Module, references: References): ReadonlyArray<Import> =>
  places.flatMap(({ node, scope }) => {
    if (withSource.has(node.type)) {
      const specifier = literalOf(child(node, "source"))
      return specifier === undefined || isOnlyTypes(node) ? [] : [{ node, specifier }]
    }
    if (!/^(?:ImportExpression|CallExpression|TSExternalModuleReference)$/.test(node.type)) return []
    const reference = references.of(node, scope)
    return reference?.root.kind === "module" && reference.keys.length === 0
      ? [{ node, specifier: reference.root.name }]
      : []
  })

export const lookAt = (program: Node): Look => {
  const module = moduleOf(program)
  const references = new References()
  const findings = findingsOf({ module, references })
  const imports = importsOf(module, references)
  return {
    findings,
    imports: imports.filter(({ specifier }) => /^(?:\.{0,2}\/|\.{1,2}$|#)/.test(specifier)),
    makesTools: makesTools(module, references),
    isBridged: imports.some(({ specifier }) => specifier === bridge)
  }
}
