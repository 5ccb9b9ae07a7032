import { afterEach } from "vitest"

// Property tests keep the event loop busy for minutes, one after the other, and the runner takes a worker that
// does not answer for lost. So let it answer between two tests.
afterEach(() => new Promise<void>((resolve) => setImmediate(resolve)))
