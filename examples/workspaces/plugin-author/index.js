/** @import { Tool } from "bailiwick" */
import { countWords } from "./tools/countWords.js"
import { outline } from "./tools/outline.js"
import { translate } from "./tools/translate.js"

export { countWords, outline, translate }

/**
 * All of them, for hosts that register each.
 *
 * @type {ReadonlyArray<Tool.Any>}
 */
export const tools = [countWords, outline, translate]
