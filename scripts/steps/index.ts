import type { Step } from "../lib/step.js"
import { docs } from "./docs.js"
import { examples } from "./examples.js"
import { format, lint } from "./lint.js"
import { packaged } from "./package.js"
import { types, types7 } from "./types.js"
import { typetest } from "./typetest.js"
import { unit } from "./unit.js"
import { unused } from "./unused.js"

/** In the order in which they start. The unit tests take longest, so the others run beside them. */
export const steps: ReadonlyArray<Step> = [
  types,
  unit,
  lint,
  format,
  typetest,
  types7,
  unused,
  examples,
  docs,
  packaged
]
