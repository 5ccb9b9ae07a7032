/** The program as one script: it does what its modules do, and the build refuses modules of which it could not be made. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { pathToFileURL } from "node:url"
import { runInThisContext } from "node:vm"
import { afterEach, describe, expect, it } from "vitest"
import { link, modulesFrom } from "../scripts/cli/link.js"
import { bundlePackages } from "../scripts/cli/packages.js"
import { scratch } from "../scripts/lib/project.js"
import { readModules } from "../scripts/package/library/modules.js"
import { shortEverywhere, shortInside } from "../scripts/package/library/names.js"
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
    read: (path) => readFileSync(join(dist, "cli", path), "latin1")
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
  const text = `import*as Effect from"effect/Effect";import*as Effect2 from"effect/Effect";import{a as b}from"./a.js";
var outer=(parameter)=>{let inside=Effect.succeed(parameter);return Effect2.zipRight(inside,b)},word=/\u0430/u;export{outer,word as w}`
  const [module] = readModules(distOf({ "x.js": text }), ["x.js"])
  if (module === undefined) throw new Error("nothing was read")

  it("are kept where a stack trace shows them, and a package has one", async () => {
    expect(await shortInside(module)).toBe(
      `import*as $Effect from"effect/Effect";import{a as b}from"./a.js";var outer=e=>{let t=$Effect.succeed(e);return $Effect.zipRight(t,b)},word=/\\u0430/u;export{outer,word as w}`
    )
  })

  it("are not those of a package that others are handed", async () => {
    const dist = distOf({ "x.js": 'import*as Effect from"effect/Effect";export{Effect}' })
    const [other] = readModules(dist, ["x.js"])
    await expect(other && shortInside(other)).rejects.toThrow("exports effect/Effect as a whole")
  })

  it("are all short where none is shown", async () => {
    expect(await shortEverywhere(module)).not.toMatch(/outer=|word=|\$Effect/)
  })
})
