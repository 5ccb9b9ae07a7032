/**
 * The package that is installed in one version only: its files are known, so that the program can be made of them where
 * they are installed. They are CommonJS, and stay as they are.
 */
import { readFileSync } from "node:fs"
import { join, posix } from "node:path"
import { ofBytes, type Part, pinned } from "../../src/cli/parts.js"
import { readManifest, root, versionOf } from "../lib/project.js"

const { name, prefix } = pinned

const MAIN = `${prefix}dist/index.js`

const REQUIRED = /\brequire\('(\.[^']+)'\)/g

/** By its path, each file that the package loads. */
export const pinnedTexts = (): ReadonlyMap<string, string> => {
  const { [name]: wanted } = readManifest(root).dependencies
  if (wanted !== versionOf(name))
    throw new Error(`${name} must be a dependency in one version, and that installed`)
  const texts = new Map<string, string>()
  const waiting = [MAIN]
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (texts.has(path)) continue
    const text = readFileSync(join(root, "node_modules", name, path.slice(prefix.length)), "utf8")
    texts.set(path, ofBytes(text))
    for (const [, from = ""] of text.matchAll(REQUIRED)) waiting.push(posix.join(posix.dirname(path), from))
  }
  return texts
}

/** What runs one of these files when another first asks for it. */
export const pinnedLoader = (texts: ReadonlyMap<string, string>, fileAt: (path: string) => number) => [
  `$kept={},$pinned=path=>{if($kept[path])return $kept[path].exports;`,
  `const module=$kept[path]={exports:{}},folder=path.split("/").slice(0,-1);`,
  `$files[path](module,module.exports,from=>{if(from[0]!==".")return require(from);const to=[...folder];`,
  `for(const step of from.split("/"))if(step==="..")to.pop();else if(step!==".")to.push(step);`,
  `return $pinned(to.join("/"))});return module.exports},$files={`,
  ...[...texts].flatMap(
    ([path, text]): ReadonlyArray<Part> => [
      `"${path}":function(module,exports,require){`,
      [fileAt(path), 0, text.length],
      "\n},"
    ]
  ),
  "},"
]

/** How a module of ours gets what the package gives. */
export const pinnedValue = `$pinned("${MAIN}")`
