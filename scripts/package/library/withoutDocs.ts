import ts from "typescript"

/** The ends of all documentation in a file, by where it begins. */
const docsIn = (node: ts.Node, found = new Map<number, number>()): ReadonlyMap<number, number> => {
  if (ts.isJSDoc(node)) found.set(node.pos, node.end)
  else for (const child of node.getChildren()) docsIn(child, found)
  return found
}

/** Of what no user can name, no editor shows the documentation. */
export const withoutDocs = (declaration: string): string =>
  [...docsIn(ts.createSourceFile("declaration.d.ts", declaration, ts.ScriptTarget.ESNext, true))]
    .toSorted(([a], [b]) => b - a)
    .reduce((text, [pos, end]) => text.slice(0, pos) + text.slice(end).replace(/^\s*/, ""), declaration)
