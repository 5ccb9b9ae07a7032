// The table of codes is complete because it would not compile otherwise.
import { describe, expect, test } from "tstyche"
import { NetworkError } from "../src/capabilities/network/NetworkOperations.js"
import type { Code as DenialCode, Reason } from "../src/policy/lattice/Denial.js"
import type * as ErrorCode from "../src/registry/errorCodes/ErrorCode.js"
import { topic } from "../src/registry/errorCodes/topic.js"
import type { Code as ResultCode } from "../src/registry/ToolResult.js"

const words = { cause: "Why.", remedy: "What." }
const given = { title: "A topic", about: "What it is about." }

describe("a topic", () => {
  const surfaces = { One: ["A_B", "C_D"], Other: ["A_B"] } as const

  test("is closed where its codes are written in place, too", () => {
    const made = topic({ ...given, surfaces: { One: ["A_B"] }, words: { A_B: words } })
    expect<(typeof made)["entries"][number]["code"]>().type.toBe<"A_B">()
  })

  test("takes words for each of its codes", () => {
    const made = topic({ ...given, surfaces, words: { A_B: words, C_D: words } })
    expect<(typeof made)["entries"][number]["code"]>().type.toBe<"A_B" | "C_D">()
  })

  test("refuses a code without words", () => {
    // @ts-expect-error Property 'C_D' is missing
    topic({ ...given, surfaces, words: { A_B: words } })
  })

  test("refuses words without a code", () => {
    // @ts-expect-error 'E_F' does not exist
    topic({ ...given, surfaces, words: { A_B: words, C_D: words, E_F: words } })
  })

  test("has the codes of an error from the error", () => {
    const made = topic({
      ...given,
      surfaces: { NetworkError: NetworkError.fields.code.literals },
      words: {
        HOST_NOT_ALLOWED: words,
        METHOD_NOT_ALLOWED: words,
        URL_INVALID: words,
        ADDRESS_NOT_ALLOWED: words,
        REDIRECT_REFUSED: words,
        HEADER_REFUSED: words,
        SEAL_REFUSED: words,
        LIMIT_EXCEEDED: words,
        STATUS_NOT_OK: words,
        DECODE_FAILED: words,
        REQUEST_FAILED: words
      }
    })
    expect<(typeof made)["entries"][number]["code"]>().type.toBe<NetworkError["code"]>()
  })
})

test("the table has every code of results and denials, and no word that is none", () => {
  expect<ErrorCode.Code>().type.toBeAssignableFrom<ResultCode | Reason | DenialCode>()
  expect<ErrorCode.Code>().type.not.toBeAssignableFrom<string>()
})
