/**
 * What goes into a prompt beside the question: the files that came with it, and the skills that the agent may use. A
 * model opens an attachment by its ref, and is shown no skill that asks for more than the agent holds.
 */
import { LanguageModel, Prompt } from "@effect/ai"
import { AgentRecord, Annotation, AttachmentRefs, Builtin, Registry, Skill, Turn } from "bailiwick"
import { toolkit } from "bailiwick/ai/effect"
import { NodeAttachments, NodeFiles } from "bailiwick/node"
import { Console, Effect, Layer } from "effect"
import { calls, layerScripted } from "./scripted.js"

const agent = AgentRecord.parse(
  {
    id: "agents/clerk",
    file: "clerk.md",
    text: `---
class: agent
capabilities:
  - attachments.read: { kinds: [file] }
  - net.get: { hosts: [github.com] }
---
You answer letters.
`
  },
  {}
)

const skill = (name: string, description: string, tools: string): Skill.Skill =>
  Skill.parse({
    id: name,
    file: `skills/${name}.md`,
    text: `---\nname: ${name}\ndescription: ${description}\nallowed-tools: ${tools}\n---\nBe brief.\n`
  })

const skills = Skill.available(
  [
    skill("issues", "Reads issues. Use it when a letter names one.", "WebFetch(domain:github.com)"),
    skill("deploy", "Deploys the site.", "Bash(make deploy)")
  ],
  agent
)

/** As an adapter hands them over, kept as files. The model sees refs and names, and no path. */
const url = new URL("letter.txt", import.meta.url).href
const attachments = AttachmentRefs.assign([
  { type: "file", filename: "letter.txt", mimeType: "text/plain", url }
])

const turn = Turn.make({ session: "prompt", policy: AgentRecord.policy(agent), workdir: "/", attachments })

const system = [
  agent.body.trim(),
  "<skills>",
  ...skills.map(({ description, name }) => `${name}: ${description}`),
  "</skills>"
].join("\n")

const prompt = Prompt.make([
  { role: "system", content: system },
  {
    role: "user",
    content: [
      { type: "text", text: Annotation.buildAttachmentAnnotation(attachments) },
      { type: "text", text: "What does the letter say?" }
    ]
  }
])

const model = layerScripted([[calls("1", "read_attachment", { ref: "att-0" })]])

const registry = Registry.make(Builtin.listAttachments, Builtin.readAttachment)

export const program = Effect.gen(function* () {
  for (const { content } of prompt.content) {
    for (const part of typeof content === "string" ? [{ type: "text" as const, text: content }] : content) {
      if (part.type === "text") yield* Console.log(part.text)
    }
  }
  const { toolResults } = yield* LanguageModel.generateText({ prompt, toolkit: toolkit(registry, turn) })
  for (const { encodedResult, name } of toolResults) yield* Console.log(name, encodedResult)
}).pipe(Effect.provide(model), Effect.provide(Layer.mergeAll(NodeFiles.layer(), NodeAttachments.layer())))
