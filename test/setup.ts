import { FastCheck } from "effect"
import { afterEach } from "vitest"
import { clearAll } from "./cleanup.js"
import { seed } from "./deep.js"

// One seed for a whole run, so that one number repeats it.
FastCheck.configureGlobal({ seed })

// Property tests keep the event loop busy for minutes, one after the other, and the runner takes a worker that
// does not answer for lost. So let it answer between two tests.
afterEach(() => {
  clearAll()
  return new Promise<void>((resolve) => setImmediate(resolve))
})
