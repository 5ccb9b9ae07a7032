/** What came of a call, as MCP says it. A refusal is an answer, with its denial beside the words. */
import { dataOf, textOf } from "../../ai/ModelText.js"
import type * as ToolResult from "../../registry/ToolResult.js"
import type { Turn } from "../../registry/Turn.js"
import type * as Tool from "../../tools/Tool.js"
import { contentOf, text } from "./content.js"
import { type Output, structureOf } from "./structured.js"

/** What a tool's answers are listed as in a turn; a dry run answers with words. */
export const listedOutput = (tool: Tool.Any, { dryRun }: Turn): Output | undefined =>
  dryRun ? undefined : structureOf(tool)

const failed = (result: Extract<ToolResult.ToolResult, { ok: false }>): object => ({
  isError: true,
  content: [text(textOf(result))],
  _meta: {
    "bailiwick/code": result.code,
    ...(result.denial === undefined ? {} : { "bailiwick/denial": result.denial })
  }
})

const MISFIT =
  "execution_failed: the answer does not fit its outputSchema any more, because it was cut or redacted, or is no JSON; " +
  "what there is of it follows, ask for less"

const succeeded = (
  tool: Tool.Any | undefined,
  result: Extract<ToolResult.ToolResult, { ok: true }>,
  turn: Turn
): object => {
  const content = contentOf(result.value, textOf(result), tool?.success !== undefined)
  const meta = {
    ...(tool?.outputIsUntrusted === true ? { "bailiwick/untrusted": true } : {}),
    ...(result.truncated === true ? { "bailiwick/truncated": true } : {})
  }
  const said = Object.keys(meta).length === 0 ? { content } : { content, _meta: meta }
  const output = tool === undefined ? undefined : listedOutput(tool, turn)
  if (output === undefined) return said
  const structuredContent = output.of(dataOf(result.value))
  // A client takes an answer without the promised structure for a broken server, unless it says that it failed.
  return structuredContent === undefined
    ? {
        ...said,
        isError: true,
        content: [text(MISFIT), ...content],
        _meta: { ...meta, "bailiwick/code": "execution_failed" }
      }
    : { ...said, structuredContent }
}

export const calledResult = (
  tool: Tool.Any | undefined,
  result: ToolResult.ToolResult,
  turn: Turn
): object => (result.ok ? succeeded(tool, result, turn) : failed(result))
