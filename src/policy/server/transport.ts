/** How a server is reached: a command that is started here, or an address. */
import { Either } from "effect"
import { ref } from "../lattice/dimensions/Ref.js"
import type { Reading } from "../text/Problem.js"
import { quote } from "../text/Quote.js"
import { type Mapping, problem, type Yaml } from "../text/StrictYaml.js"
import * as Shape from "../text/YamlShape.js"
import type { Places } from "./places.js"
import type { Local, Remote, SecretHeader } from "./Server.js"

const LOCAL = ["command", "args", "env", "code", "cwd"] as const

const REMOTE = ["url", "token", "headers"] as const

export const keys: ReadonlyArray<string> = [...LOCAL, ...REMOTE]

const textsIn = (value: Yaml, what: string): Reading<ReadonlyArray<string>> =>
  Either.map(Shape.texts(value, what), (all) => all.map(({ text }) => text))

/** Arguments may be empty or blank, and a number is written as it is read. */
const argumentsIn = (value: Yaml, what: string): Reading<ReadonlyArray<string>> => {
  if (value._tag !== "List") return textsIn(value, what)
  return Either.all(
    value.items.map((item) =>
      item._tag === "Scalar" && (typeof item.value === "number" || typeof item.value === "string")
        ? Either.right(String(item.value))
        : Either.map(Shape.text(item, `an entry of ${what}`), ({ text }) => text)
    )
  )
}

const refIn = (given: Shape.Text): Reading<string> =>
  Either.match(ref.element(given.text), {
    onLeft: ({ detail }) => problem("REF_INVALID", given, detail, "write the name of a secret"),
    onRight: () => Either.right(given.text)
  })

const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/

/** What a loader obeys is no secret, and would run other code than the operator named. */
const LOADER =
  /^(?:LD_|DYLD_|NODE_OPTIONS$|NODE_PATH$|PYTHONPATH$|PYTHONSTARTUP$|PERL5|RUBYOPT$|BASH_ENV$|ENV$|PATH$|HOME$)/

const variablesIn = (value: Yaml, what: string): Reading<ReadonlyArray<string>> =>
  Either.flatMap(Shape.texts(value, what), (all) =>
    Either.all(
      all.map((given) =>
        VARIABLE.test(given.text) && !LOADER.test(given.text)
          ? refIn(given)
          : problem(
              "REF_INVALID",
              given,
              `${quote(given.text)} is no variable that a server may be given`,
              "name secrets, as in GITHUB_TOKEN; the value is that of the secret"
            )
      )
    )
  )

const pathIn = (value: Yaml, what: string): Reading<string> =>
  Either.map(Shape.text(value, what), ({ text }) => text)

const localIn = (map: Mapping, { root }: Places): Reading<Local> =>
  Either.gen(function* () {
    const cwd = yield* Shape.optional(map, "cwd", pathIn)
    return {
      _tag: "Local",
      command: (yield* Shape.optional(map, "command", pathIn)) ?? "",
      args: (yield* Shape.optional(map, "args", argumentsIn)) ?? [],
      env: (yield* Shape.optional(map, "env", variablesIn)) ?? [],
      code: (yield* Shape.optional(map, "code", textsIn)) ?? [],
      ...(cwd === undefined ? {} : { cwd }),
      root
    }
  })

const urlIn = (value: Yaml, what: string): Reading<string> =>
  Either.flatMap(Shape.text(value, what), (given) => {
    const url = URL.canParse(given.text) ? new URL(given.text) : undefined
    const isWeb = url?.protocol === "https:" || url?.protocol === "http:"
    if (url === undefined || !isWeb || url.username !== "" || url.password !== "" || url.hash !== "") {
      return problem(
        "VALUE_INVALID",
        given,
        `${what} is no address of a server`,
        "write it as in https://mcp.example.com/mcp, without a user or a password"
      )
    }
    return Either.right(given.text)
  })

const HEADER = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}$/

/** What the protocol itself sets. */
const RESERVED = /^(?:host|connection|transfer-encoding|content-.*|accept|mcp-.*|last-event-id|cookie)$/i

const headersIn = (value: Yaml, what: string): Reading<ReadonlyArray<SecretHeader>> => {
  if (value._tag !== "Mapping") {
    return problem(
      "VALUE_INVALID",
      value.at,
      `${what} is no mapping`,
      "write names of headers with the secret of each, as in X-Api-Key: API_KEY"
    )
  }
  return Either.all(
    Array.from(value.entries, ([name, { at, value: secret }]) =>
      HEADER.test(name) && !RESERVED.test(name)
        ? Either.map(Either.flatMap(Shape.text(secret, `the header ${quote(name)}`), refIn), (found) => ({
            name,
            ref: found
          }))
        : problem(
            "VALUE_INVALID",
            at,
            `${quote(name)} is no header that a secret goes into`,
            "write one as in X-Api-Key"
          )
    )
  )
}

const remoteIn = (map: Mapping): Reading<Remote> =>
  Either.gen(function* () {
    const token = yield* Shape.optional(map, "token", (value, what) =>
      Either.flatMap(Shape.text(value, what), refIn)
    )
    const headers = (yield* Shape.optional(map, "headers", headersIn)) ?? []
    return {
      _tag: "Remote",
      url: (yield* Shape.optional(map, "url", urlIn)) ?? "",
      headers: [
        ...(token === undefined ? [] : [{ name: "Authorization", ref: token, scheme: "Bearer" }]),
        ...headers
      ]
    }
  })

export const transportIn = (map: Mapping, what: string, places: Places): Reading<Local | Remote> => {
  const has = (key: string) => map.entries.has(key)
  if (has("command") === has("url")) {
    return has("command")
      ? problem("VALUE_INVALID", map.at, `${what} has 'command' and 'url'`, "keep one of them")
      : problem(
          "KEY_MISSING",
          map.at,
          `${what} has neither 'command' nor 'url'`,
          "write the command that starts it, or its address"
        )
  }
  const foreign = (has("command") ? REMOTE : LOCAL).find(has)
  if (foreign !== undefined) {
    const at = map.entries.get(foreign)?.at ?? map.at
    return problem(
      "KEY_UNKNOWN",
      at,
      `'${foreign}' is not a key of a server ${has("command") ? "that is started here" : "with a url"}`,
      "take it out"
    )
  }
  return has("command") ? localIn(map, places) : remoteIn(map)
}
