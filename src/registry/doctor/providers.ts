/** Grants of tools that run at the model's provider: that each opens one. */
import { PROVIDER } from "../../policy/grant/Catalog.js"
import { isWild } from "../../policy/lattice/Wildcard.js"
import { known, type ProviderTool, runHere } from "../../policy/provider/ProviderTool.js"
import { closest } from "../../policy/text/Closest.js"
import { quote } from "../../policy/text/Quote.js"
import type { Finding, Input } from "./Model.js"
import { type Check, type Entry, some, subjectsOf } from "./subjects.js"

interface Named {
  readonly entry: Entry
  readonly name: string
}

const namedBy = (input: Input): ReadonlyArray<Named> =>
  subjectsOf(input)
    .filter(({ authority }) => !authority.scopes.provider.use.isEmpty)
    .flatMap(({ entries }) => entries)
    .flatMap((entry) =>
      entry.authority.scopes.provider.use
        .encode()
        .flatMap((name) => (typeof name === "string" && !isWild(name) ? [{ entry, name }] : []))
    )

type Why = Pick<Finding, "detail" | "remedy">

const whyNot = (name: string, tools: ReadonlyArray<ProviderTool>): Why | undefined => {
  const same = tools.filter((tool) => tool.name === name)
  if (same.some(({ scoped }) => !scoped)) return undefined
  const grant = quote(`${PROVIDER}${name}`)
  if (same.length > 0) {
    return {
      detail: `${grant} opens nothing: the provider's tool is scoped, and needs net.get and no grant of its own`,
      remedy: "write 'net.get' with the hosts that it may use"
    }
  }
  if (runHere.some((tool) => tool.name === name)) {
    return {
      detail: `${grant} opens nothing: the provider only defines that tool, and it runs here`,
      remedy: "grant what its handler declares"
    }
  }
  const meant = closest(
    name,
    tools.filter(({ scoped }) => !scoped).map((tool) => tool.name)
  )
  return {
    detail: `${grant} opens nothing: no tool of a provider that is known here is called so`,
    remedy: meant === undefined ? "take it out" : `did you mean '${PROVIDER}${meant}'?`
  }
}

export const providers: Check = {
  name: "providers",
  passed: (input) => {
    const { length } = namedBy(input)
    return length === 0 ? undefined : `${some(length, "grant")}, each of which opens a tool of a provider`
  },
  findings: (input) =>
    namedBy(input).flatMap(({ entry: { file, line, subject }, name }): ReadonlyArray<Finding> => {
      const why = whyNot(name, input.providerTools ?? known)
      return why === undefined
        ? []
        : [
            {
              severity: "warning",
              check: "providers",
              subject,
              code: "PROVIDER_OPENS_NOTHING",
              file,
              line,
              ...why
            }
          ]
    })
}
