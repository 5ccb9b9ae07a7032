import type { Step } from "../lib/step.js"
import { docs } from "./docs.js"
import { examples } from "./examples.js"
import { format, lint } from "./lint.js"
import { packaged } from "./package.js"
import { types, types7 } from "./types.js"
import { typetest } from "./typetest.js"
import { unit } from "./unit.js"
import { unused } from "./unused.js"

/**
 * In the order in which they start. The unit tests take longest, so the others run beside them, the long ones first: what
 * is left when they are done is short, and keeps every core busy to the end.
 */
export const steps: ReadonlyArray<Step> = [
  types,
  unit,
  packaged,
  typetest,
  docs,
  lint,
  types7,
  unused,
  examples,
  format
]
