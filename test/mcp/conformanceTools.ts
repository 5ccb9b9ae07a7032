/**
 * What the official conformance checks want to find on a server, as far as it is served here: tools, records, skills.
 * Checks of sampling, elicitation, completion, subscriptions, binary resources and arguments of prompts ask for what is
 * not served.
 */
import { Builtin, RecordsBackend, Registry, Skill, Tool, type Turn } from "bailiwick"
import type { McpServer } from "bailiwick/mcp"
import { Effect, Layer, Schema } from "effect"
import * as MemoryRecords from "../../src/capabilities/records/MemoryRecords.js"
import { turnOf } from "../registry/support.js"

const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
const WAV = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA="

const test = <A>(name: string, execute: () => Effect.Effect<A, string>) =>
  Tool.make({
    name,
    description: "For the conformance checks",
    parameters: Schema.Struct({}),
    failure: Schema.String,
    capabilities: {},
    execute
  })

const image = { type: "image", data: PNG, mimeType: "image/png" }

const resource = (uri: string, mimeType: string, text: string) => ({
  type: "resource",
  resource: { uri, mimeType, text }
})

const pause = Effect.sleep("50 millis")

const conformanceTools = [
  test("test_simple_text", () => Effect.succeed("This is a simple text response for testing.")),
  test("test_image_content", () => Effect.succeed({ content: [image] })),
  test("test_audio_content", () =>
    Effect.succeed({ content: [{ type: "audio", data: WAV, mimeType: "audio/wav" }] })),
  test("test_embedded_resource", () =>
    Effect.succeed({
      content: [resource("test://embedded-resource", "text/plain", "This is an embedded resource content.")]
    })),
  test("test_multiple_content_types", () =>
    Effect.succeed({
      content: [
        { type: "text", text: "Multiple content types test:" },
        image,
        resource("test://mixed-content-resource", "application/json", '{"test":"data","value":123}')
      ]
    })),
  test("test_tool_with_logging", () =>
    Effect.log("Tool execution started").pipe(
      Effect.zipRight(pause),
      Effect.zipRight(Effect.log("Tool processing data")),
      Effect.zipRight(pause),
      Effect.zipRight(Effect.log("Tool execution completed")),
      Effect.as("logged")
    )),
  test("test_tool_with_progress", () =>
    Tool.progress("begun", { done: 0, total: 100 }).pipe(
      Effect.zipRight(pause),
      Effect.zipRight(Tool.progress("halfway", { done: 50, total: 100 })),
      Effect.zipRight(pause),
      Effect.zipRight(Tool.progress("done", { done: 100, total: 100 })),
      Effect.as("reported")
    )),
  test("test_error_handling", () => Effect.fail("This tool intentionally returns an error for testing"))
]

const prompt = Skill.parse({
  file: "skills/test_simple_prompt.md",
  text: "---\nname: test_simple_prompt\ndescription: A prompt\n---\nThis is a simple prompt for testing.\n"
})

/** A registry of them, and of the built-in tools. */
export const conformanceOptions = (turn: Turn.Turn = turnOf()): McpServer.Options => ({
  serves: Effect.succeed({
    registry: Registry.make(...conformanceTools, ...Builtin.builtins),
    turn,
    skills: { loaded: [{ ...prompt, name: "test_simple_prompt", problems: [] }] }
  }),
  toolLogs: true
})

export const conformanceRecords = Layer.succeed(
  RecordsBackend,
  MemoryRecords.make(
    [{ id: "notes/static-text", text: "This is the content of the static text resource.\n" }],
    {}
  )
)
