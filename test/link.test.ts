/** The program as one script: it does what its modules do, and the build refuses modules of which it could not be made. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { pathToFileURL } from "node:url"
import { runInThisContext } from "node:vm"
import { afterEach, describe, expect, it } from "vitest"
import { link, modulesFrom } from "../scripts/cli/link.js"
import { bundlePackages } from "../scripts/cli/packages.js"
import { pinnedTexts } from "../scripts/cli/pinned.js"
import { scratch } from "../scripts/lib/project.js"
import { shortened } from "../scripts/package/library/names.js"
import { joined, type Parts } from "../src/cli/parts.js"

const folders: Array<string> = []

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

/** A `dist` with these modules. */
const distOf = (texts: Readonly<Record<string, string>>): string => {
  mkdirSync(scratch, { recursive: true })
  const dist = mkdtempSync(join(scratch, "dist-"))
  folders.push(dist)
  const all = { "package.json": '{ "type": "module" }', ...texts }
  for (const [path, text] of Object.entries(all)) {
    mkdirSync(dirname(join(dist, path)), { recursive: true })
    writeFileSync(join(dist, path), text)
  }
  return dist
}

const linked = async (
  texts: Readonly<Record<string, string>>
): Promise<{ readonly dist: string; readonly parts: Parts; readonly read: (path: string) => string }> => {
  const dist = distOf(texts)
  const modules = modulesFrom(dist, ["cli/program.js"])
  await bundlePackages(modules, join(dist, "cli/packages.cjs"))
  return {
    dist,
    parts: link(dist, modules, "cli/packages.cjs"),
    read: (path) => pinnedTexts().get(path) ?? readFileSync(join(dist, "cli", path), "latin1")
  }
}

/** What the script gives, and what the modules give that it is made of. */
const bothOf = async (texts: Readonly<Record<string, string>>) => {
  const { dist, parts, read } = await linked(texts)
  const text = joined(parts, read) ?? ""
  expect(text).toHaveLength(parts.length)
  const script = runInThisContext(text)(createRequire(join(dist, "cli/main.js")))
  return { script, modules: await import(pathToFileURL(join(dist, "cli/program.js")).href) }
}

describe("a linked program", () => {
  it("finds a file beside its modules", async () => {
    const { modules, script } = await bothOf({
      "cli/main.js": "",
      "cli/program.js": `import{file}from"../chunks/A.js";export{file};`,
      "chunks/A.js": `var file=new URL("../cli/page.html",import.meta.url).href;export{file};`
    })
    expect(script.file).toMatch(/\/cli\/page\.html$/)
    expect(script.file).toBe(modules.file)
  })

  it("takes and gives by other names, loads later, and runs each module once", async () => {
    const { modules, script } = await bothOf({
      "cli/program.js": `import{a as b,count}from"../chunks/A.js";import"../chunks/B.js";import*as $path from"node:path";
import{sep}from"node:path";export{main as run,b};var main=async()=>{let{later:l}=await import("../chunks/C.js");
return[b,l(),count(),$path.join("x","y"),sep,(await import("node:os")).default!==undefined]}`,
      "chunks/A.js": `var n=0,a="a",count=()=>n+=1;count();export{a,count}`,
      "chunks/B.js": `import{count as c}from"./A.js";c()`,
      "chunks/C.js": `import{count}from"./A.js";export{own as later};function own(){return count()}`
    })
    expect(await script.run()).toEqual(["a", 3, 4, "x/y", "/", true])
    expect(script.b).toBe("a")
    expect(await modules.run()).toEqual(["a", 3, 4, "x/y", "/", true])
  })

  it("has of packages what it uses, under whatever name, and not what a function calls the same", async () => {
    const { modules, script } = await bothOf({
      "cli/program.js": `import*as $Option from"effect/Option";import{parse as p}from"yaml";
var $o=$Option.some(1),f=$Option2=>$Option2.anything,main=()=>[$Option.isSome($o),p("a: 1"),f({anything:2}),(p=>p)(3)];export{main}`
    })
    expect(script.main()).toEqual([true, { a: 1 }, 2, 3])
    expect(modules.main()).toEqual(script.main())
  })

  it("has the files of a package that is installed in one version as they are there, in characters of one byte", async () => {
    const { parts, read } = await linked({
      "cli/program.js": `import{parseDocument}from"yaml";var main=()=>parseDocument("[").errors[0].message;export{main}`
    })
    const paths = parts.files.map(([path]) => path).filter((path) => path.startsWith("yaml:"))
    expect(paths).toContain("yaml:dist/index.js")
    expect(paths.some((path) => read(path).includes("\\u2026"))).toBe(true)
    expect(joined(parts, read)).not.toMatch(/[^\0-\x7f]/)
    const without = (path: string) => (path === "yaml:dist/errors.js" ? "" : read(path))
    expect(joined(parts, without)).toBeUndefined()
  })

  it("loads large packages when they are used, and not where something else has their name", async () => {
    const { script } = await bothOf({
      "cli/program.js": `import{getPublicSuffix}from"tldts";
var main=()=>getPublicSuffix("a.co.uk"),other=getPublicSuffix=>getPublicSuffix;export{main,other}`
    })
    expect([script.main(), script.other(1)]).toEqual(["co.uk", 1])
  })

  it("is not made of files that are not those of the build", async () => {
    const { parts, read } = await linked({ "cli/program.js": "var main=()=>1;export{main}" })
    expect(joined(parts, read)).toHaveLength(parts.length)
    expect(joined(parts, (path) => `${read(path)} `)).toBeUndefined()
    expect(joined(parts, (path) => read(path).slice(1))).toBeUndefined()
  })

  it.each([
    [
      "waits for itself",
      { "cli/program.js": 'import"./b.js"', "cli/b.js": 'import"./program.js"' },
      "wait for each other"
    ],
    ["changes what it has given", { "cli/program.js": "var a=1,b=()=>{a=2};export{a,b}" }, "changes a"],
    ["counts what it has given", { "cli/program.js": "var a=1,b=()=>a++;export{a,b}" }, "changes a"],
    ["has a name of ours", { "cli/program.js": "var $module=1" }, "$module of its own"],
    ["hands a package on", { "cli/program.js": 'import*as E from"effect/Effect";export{E}' }, "as a whole"],
    ["uses a package whole", { "cli/program.js": 'import*as E from"effect/Effect";f(E)' }, "as a whole"],
    ["is not ASCII", { "cli/program.js": "/\u00e4/" }, "not ASCII"]
  ])("a module that %s is refused", async (_, texts, message) => {
    await expect(linked(texts)).rejects.toThrow(message)
  })

  it("a module may set up what it gives, and call something else the same", async () => {
    const { script } = await bothOf({
      "cli/program.js": "var a,C=class{static{a=()=>1}},b=a=>{a=2;return a};export{a,b}"
    })
    expect([script.a(), script.b()]).toEqual([1, 2])
  })
})

describe("the names in a bundle", () => {
  const text = `import*as Effect from"effect/Effect";import{a as b}from"./a.js";
const number=2,outer=(parameter)=>{const inside=(of)=>Effect.succeed([of,number]);return Effect.zipRight(inside(parameter),b)};
class Thing{};const word=/\u0430/u;export{outer,Thing,word as w,number}`

  it("are kept where a stack trace shows them: those of functions and classes, and no others", () => {
    const kept = shortened(text, { functions: true })
    expect(kept).toMatch(/outer=\w+=>.*inside=\w+=>/)
    expect(kept).toContain("class Thing")
    expect(kept).not.toMatch(/number=|word=|parameter|Effect\./)
  })

  it("are all short where none is shown", () => {
    expect(shortened(text, { functions: false })).not.toMatch(/outer=|inside=|class Thing|number=|word=/)
  })

  it("and the texts have characters of one byte only", () => {
    expect(shortened(text, { functions: true })).toContain("/\\u0430/u")
  })

  it("a text that cannot be read is refused", () => {
    expect(() => shortened("const a = ;", { functions: true })).toThrow("Unexpected token")
  })
})
