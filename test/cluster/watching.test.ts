/** Runners watch each other in a ring, so that the end of any one of them is seen. */
import * as RunnerAddress from "@effect/cluster/RunnerAddress"
import { expect, it } from "vitest"
import { nextOf } from "../../src/cluster/runner/Watching.js"

const [a, b, c] = [1, 2, 3].map((port) => RunnerAddress.make("127.0.0.1", port)) as [
  RunnerAddress.RunnerAddress,
  RunnerAddress.RunnerAddress,
  RunnerAddress.RunnerAddress
]

it("everybody is watched by one other, in whatever order they are listed, and nobody watches itself", () => {
  expect([a, b, c].map((self) => nextOf(self, [c, a, b]))).toEqual([b, c, a])
  // Of two that are gone the first is seen, and with it the next.
  expect([nextOf(a, [a, b, c]), nextOf(a, [a, c])]).toEqual([b, c])
  // One that is not listed yet watches all the same.
  expect([nextOf(b, [a]), nextOf(a, [a]), nextOf(a, [])]).toEqual([a, undefined, undefined])
})
