/** A tool that runs a command with the token of a sealed secret, as it is in one process and in one of its own. */
import { Process, Secrets, Tool } from "bailiwick"
import { Effect, Schema } from "effect"

export const asker = Tool.make({
  name: "asker",
  description: "asks with curl",
  parameters: Schema.Struct({ script: Schema.String }),
  capabilities: {
    process: { allowedBinaries: ["*"] },
    network: { allowedHosts: ["a.test", "b.test"], for: "children" },
    secrets: [{ ref: "KEY", hosts: ["a.test"] }]
  },
  execute: ({ script }) =>
    Effect.gen(function* () {
      const token = yield* Secrets.sealed("KEY")
      const { stdout } = yield* Process.shell(script, { env: { TOKEN: token } })
      return stdout
    })
})
