/** A photo that arrives by webhook, and the tools that see it or do not. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { program } from "./photo/program.js"

NodeRuntime.runMain(program)
