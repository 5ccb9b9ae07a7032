/** A workspace with modules of tools. The files are there to be found and scanned; what they export is made here. */
import { relative } from "node:path"
import { Tool } from "bailiwick"
import { Effect, Schema } from "effect"
import { Folder, type Options } from "./workspace.js"

export const tool = (name: string, execute: () => Effect.Effect<unknown> = () => Effect.succeed("done")) =>
  Tool.make({
    name,
    description: `What ${name} does`,
    parameters: Schema.Struct({}),
    capabilities: {},
    execute
  })

type Exports = Readonly<Record<string, unknown>>

type Modules = Readonly<Record<string, Exports | (() => Exports)>>

export class Workspace extends Folder {
  /** Each file that was loaded, in order. */
  readonly loaded: Array<string> = []

  constructor(
    private readonly modules: Modules,
    /** What is loaded, and not named. */
    private readonly others: Modules = {}
  ) {
    super()
    this.personality()
    const names = Object.keys(modules)
    this.write("bailiwick.yaml", `tools: ${JSON.stringify(names.map((name) => `./${name}`))}\n`)
    for (const name of names) this.write(name, "")
  }

  override bailiwick(args: ReadonlyArray<string>, options: Options = {}) {
    return super.bailiwick(args, {
      load: async (file) => {
        const name = relative(this.root, file)
        this.loaded.push(name)
        const found = this.modules[name] ?? this.others[name]
        if (found === undefined) throw new Error(`nothing is at ${name}`)
        return typeof found === "function" ? found() : found
      },
      ...options
    })
  }

  /** Calls these tools, one after the name of the other. */
  turn(names: ReadonlyArray<string>, options: Options = {}) {
    const calls = names.map((name) => ({ id: name, name, args: {} }))
    return this.bailiwick(["run", "-", "--personality", "personality", "--json"], {
      stdin: JSON.stringify(calls),
      ...options
    })
  }
}
