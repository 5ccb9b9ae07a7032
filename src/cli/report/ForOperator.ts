/** A result as an operator reads it: what a model is not told, and a declaration tells everybody. */
import { refsOf } from "../../capabilities/secrets/SecretsDeclaration.js"
import type { Policy } from "../../policy/Policy.js"
import * as Remedy from "../../policy/Remedy.js"
import type * as ToolResult from "../../registry/ToolResult.js"
import type * as Tool from "../../tools/Tool.js"

export const forOperator = <Result extends ToolResult.ToolResult>(
  result: Result,
  tool: Tool.Any | undefined,
  policy: Policy
): Result =>
  result.ok || result.denial === undefined
    ? result
    : {
        ...result,
        denial: Remedy.namingSecrets(policy, result.denial, refsOf(tool?.capabilities.secrets ?? []))
      }
