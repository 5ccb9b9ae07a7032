/** One contract, every backend of processes. */
import { mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Process } from "../../../src/capabilities/process/Process.js"
import { ProcessBackend } from "../../../src/capabilities/process/ProcessBackend.js"
import * as NodeProcess from "../../../src/layers/node/process/NodeProcess.js"
import * as ProcessContract from "../../../src/testing/contracts/ProcessContract.js"
import { holds } from "../contractHolds.js"
import { handler } from "./contractDouble.js"
import { held } from "./harness.js"

const directory = realpathSync(mkdtempSync(join(tmpdir(), "bailiwick-process-contract-")))

afterAll(() => rmSync(directory, { recursive: true, force: true }))

const operator = { name: "CONTRACT_OPERATOR", value: "hunter2-of-the-operator" }

const environment = { ...process.env, [operator.name]: operator.value }

const limits = { outputBytes: 512 * 1024 }

const onNode = ProcessContract.cases({ directory, operator, limits, sandbox: held })

const node = NodeProcess.layer({ environment, maxOutputBytes: limits.outputBytes })

holds("NodeProcess", node, onNode)

describe("NodeProcess, one layer for all cases", () => {
  it.effect("keeps every promise while the others are kept", () =>
    Effect.forEach(onNode, ({ run }) => run, { concurrency: 3, discard: true }).pipe(Effect.provide(node))
  )
})

const mock = Layer.sync(ProcessBackend, () => ProcessBackend.fromOperations(Process.memory(handler)))

// A mock is answered by a function: it starts nothing, and has no system around it.
holds(
  "a mock behind the door",
  mock,
  ProcessContract.cases({ directory: "/work" }).filter(({ about }) => about === "commands")
)
