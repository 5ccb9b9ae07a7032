/** A client of an API whose key is sealed: its tools send the key, and never see it. */
import { runMain } from "@effect/platform-node/NodeRuntime"
import { program } from "./sealed/program.js"

runMain(program)
