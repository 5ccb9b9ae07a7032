/** Which id an agent has, and what is wrong with it. */
import { deception } from "../text/Lookalike.js"
import { quote } from "../text/Quote.js"
import type { AgentFile, Warning } from "./AgentFile.js"

/** The id of its place counts; a record that has none names its own. */
export const identify = (given: string | undefined, { id }: AgentFile, warnings: Array<Warning>): string => {
  if (given !== undefined && id !== undefined && id !== given) {
    warnings.push({
      line: 1,
      column: 1,
      code: "ID_MISMATCH",
      detail: `the record says that its id is ${quote(id)}, and is kept as ${quote(given)}, which is its id`,
      remedy: `write 'id: ${given}', or move the file`
    })
  }
  const name = given ?? id ?? ""
  const wrong = deception(name)
  if (wrong !== undefined) {
    warnings.push({
      line: 1,
      column: 1,
      code: "NAME_INVALID",
      detail: `the id ${quote(name)} ${wrong.detail}, so that the agent holds nothing`,
      remedy: `rename the file, or mend 'id': ${wrong.remedy}`
    })
  }
  return name
}
