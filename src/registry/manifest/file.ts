/** The lock as a text: read strictly, written so that a diff of it can be reviewed. */
import { Either, ParseResult, Schema } from "effect"
import { Capabilities } from "../../capabilities/Capabilities.js"
import * as Inquiry from "../../policy/server/Inquiry.js"
import { isServerName, isToolName, type Origin, originRefused } from "../../policy/ToolOrigin.js"
import { ordered } from "../../policy/text/OrderedJson.js"
import { quote, seen } from "../../policy/text/Quote.js"
import { readJson } from "../../policy/text/StrictJson.js"
import { describedIn } from "./described.js"
import { DIGEST, digest, sortedSet, spelled } from "./locked.js"
import { type Locked, type LockedServer, type Manifest, ManifestInvalid, type Pinned } from "./Model.js"
import { saysIn, saysWritten } from "./says.js"

const VERSION = 1

type Read<A> = Either.Either<A, ManifestInvalid>

const AGAIN = "run 'bailiwick manifest' to write it anew"

const refuse = (code: ManifestInvalid["code"], detail: string): Either.Either<never, ManifestInvalid> =>
  Either.left(new ManifestInvalid({ code, detail }))

const wrong = (place: string, what: string): Either.Either<never, ManifestInvalid> =>
  refuse("LOCK_INVALID", `${seen(place)} ${what}; ${AGAIN}`)

type Fields = Readonly<Record<string, unknown>>

const fields = (
  value: unknown,
  place: string,
  known: ReadonlyArray<string>,
  needed: ReadonlyArray<string>
): Read<Fields> => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return wrong(place, "is not an object")
  }
  const unknown = Object.keys(value).find((key) => !known.includes(key))
  if (unknown !== undefined) {
    return wrong(place, `has the key ${quote(unknown)}, which no version has known so far`)
  }
  const missing = needed.find((key) => !Object.hasOwn(value, key))
  return missing === undefined ? Either.right(value as Fields) : wrong(place, `has no '${missing}'`)
}

const decodeCapabilities = Schema.decodeUnknownEither(Capabilities)

const capabilitiesIn = (value: unknown, place: string): Read<Capabilities> =>
  Either.mapBoth(decodeCapabilities(value), {
    onLeft: (error) => {
      const [issue] = ParseResult.ArrayFormatter.formatErrorSync(error)
      const key = [place, ...(issue?.path ?? [])].map(String).join(".")
      return new ManifestInvalid({
        code: "LOCK_INVALID",
        detail: `${seen(key)}: ${seen(issue?.message ?? "it is no declaration")}; ${AGAIN}`
      })
    },
    onRight: spelled
  })

const servicesIn = (value: unknown, place: string): Read<ReadonlyArray<string>> =>
  Array.isArray(value) && value.every((one) => typeof one === "string" && one !== "")
    ? Either.right(sortedSet(value))
    : wrong(place, "is not a list of names")

const digestIn = (value: unknown, place: string): Read<string> =>
  typeof value === "string" && DIGEST.test(value) ? Either.right(value) : wrong(place, "is not a digest")

const originIn = (name: string, value: unknown, place: string): Read<Origin> => {
  const given =
    value === undefined ? Either.right({}) : fields(value, place, ["plugin", "server", "module"], [])
  return Either.flatMap(given, (from) => {
    if (Object.values(from).some((one) => typeof one !== "string")) return wrong(place, "is not a name")
    const refused = originRefused(name, from)
    return refused === undefined ? Either.right(from) : wrong(place, `is wrong: ${refused}`)
  })
}

const needed = ["capabilities", "services", "description", "parameters"]

/** Digests stand beside the words, and are those of the words: a lock in which they differ was put together by hand. */
const wordsIn = (value: unknown, place: string, digests: Fields, { server }: Origin): Read<Pinned> => {
  if (server === undefined) return wrong(place, "is there for tools of servers alone")
  const says = Either.mapLeft(
    saysIn(value),
    ({ path, what }) =>
      new ManifestInvalid({
        code: "LOCK_INVALID",
        detail: `${seen([place, ...path].join("."))} ${what}; ${AGAIN}`
      })
  )
  return Either.flatMap(says, (found) =>
    digest(found.description) === digests.description && digest(found.parameters) === digests.parameters
      ? Either.right(found)
      : wrong(place, "is not what its digests say")
  )
}

const toolIn = (name: string, value: unknown): Read<Locked> =>
  Either.gen(function* () {
    const place = `tools.${name}`
    if (!isToolName(name)) return yield* wrong("tools", `has ${quote(name)}, which is no name of a tool`)
    const given = yield* fields(value, place, [...needed, "idempotent", "from", "says", "isolated"], needed)
    const from = yield* originIn(name, given.from, `${place}.from`)
    if (given.idempotent !== undefined && given.idempotent !== true) {
      return yield* wrong(`${place}.idempotent`, "is not true; without the key, a call is made once")
    }
    const isolated =
      given.isolated === undefined
        ? undefined
        : yield* Either.mapLeft(
            describedIn(given.isolated, given, from),
            ({ path, what }) =>
              new ManifestInvalid({
                code: "LOCK_INVALID",
                detail: `${seen([place, "isolated", ...path].join("."))} ${what}; ${AGAIN}`
              })
          )
    return {
      ...(isolated === undefined ? {} : { isolated }),
      ...(given.says === undefined ? {} : { says: yield* wordsIn(given.says, `${place}.says`, given, from) }),
      capabilities: yield* capabilitiesIn(given.capabilities, `${place}.capabilities`),
      services: yield* servicesIn(given.services, `${place}.services`),
      description: yield* digestIn(given.description, `${place}.description`),
      parameters: yield* digestIn(given.parameters, `${place}.parameters`),
      ...(given.idempotent === true ? { idempotent: true } : {}),
      from
    }
  })

const serverIn = (name: string, value: unknown): Read<LockedServer> =>
  Either.gen(function* () {
    if (!isServerName(name))
      return yield* wrong("servers", `has ${quote(name)}, which is no name of a server`)
    const place = `servers.${name}`
    const { allows, requires } = yield* fields(value, place, ["requires", "allows"], ["requires"])
    if (!Array.isArray(requires) || !requires.every((one) => typeof one === "string" && one !== "")) {
      return yield* wrong(`${place}.requires`, "is not a list of grants")
    }
    return allows === undefined
      ? { requires }
      : { requires, allows: yield* allowsIn(allows, `${place}.allows`) }
  })

const allowsIn = (value: unknown, place: string): Read<ReadonlyArray<Inquiry.Kind>> => {
  const given = Array.isArray(value) ? value.map((one) => Inquiry.parse(String(one))) : []
  const known = given.filter((kind) => kind !== undefined)
  return known.length > 0 && known.length === given.length
    ? Either.right(Inquiry.sorted(known))
    : wrong(place, `is not a list of ${Inquiry.kinds.join(", ")}`)
}

/** As git leaves them in a file that two branches changed. */
const CONFLICT = /^(?:<{7} |={7}$|>{7} |\|{7} )/m

/**
 * Reads a lock. What it cannot read whole it does not read at all.
 *
 * @since 0.1.0
 * @category codecs
 */
export const parse = (text: string): Read<Manifest> =>
  Either.gen(function* () {
    const document = yield* Either.orElse(readJson(text), ({ column, detail, line }) =>
      CONFLICT.test(text.replaceAll("\r", ""))
        ? refuse("LOCK_CONFLICTED", `two branches changed it; resolve the conflict, or ${AGAIN}`)
        : refuse("LOCK_INVALID", `${line}:${column} is not JSON: ${detail}; ${AGAIN}`)
    )
    const version = typeof document === "object" && document !== null && Reflect.get(document, "version")
    if (typeof version === "number" && version !== VERSION) {
      return yield* refuse(
        "LOCK_VERSION_UNKNOWN",
        `it is of version ${version}, and this is a lock of version ${VERSION}; update bailiwick`
      )
    }
    const whole = yield* fields(document, "the lock", ["version", "tools", "servers"], ["version", "tools"])
    if (version !== VERSION) return yield* wrong("version", `is not ${VERSION}`)
    const { tools } = whole
    if (typeof tools !== "object" || tools === null || Array.isArray(tools)) {
      return yield* wrong("tools", "is not an object")
    }
    const read = new Map<string, Locked>()
    for (const [name, value] of Object.entries(tools)) read.set(name, yield* toolIn(name, value))
    const listed = whole.servers ?? {}
    if (typeof listed !== "object" || Array.isArray(listed))
      return yield* wrong("servers", "is not an object")
    const servers = new Map<string, LockedServer>()
    for (const [name, value] of Object.entries(listed)) servers.set(name, yield* serverIn(name, value))
    return { tools: read, ...(servers.size === 0 ? {} : { servers }) }
  })

/**
 * Reads a lock as `parse` does, and throws the `ManifestInvalid`.
 *
 * @since 0.1.0
 * @category parsing
 */
export const parseSync = (text: string): Manifest => Either.getOrThrowWith(parse(text), (problem) => problem)

/** What a reader of a diff would not see; a line break is layout. */
const UNSEEN = /[^\P{C}\n]|[\u2028\u2029\u2800\ufff9-\ufffb]|\p{Default_Ignorable_Code_Point}/gu

const escaped = (character: string): string =>
  character
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("")

const written = ({
  capabilities,
  description,
  from,
  idempotent,
  isolated,
  parameters,
  says,
  services
}: Locked) => ({
  ...(Object.keys(from).length === 0 ? {} : { from }),
  capabilities,
  services,
  description,
  parameters,
  ...(idempotent === true ? { idempotent } : {}),
  ...(says === undefined ? {} : { says: saysWritten(says) }),
  ...(isolated === undefined ? {} : { isolated: { module: isolated.module, says: ordered(isolated.says) } })
})

const serverWritten = ({ allows = [], requires }: LockedServer) => ({
  requires,
  ...(allows.length === 0 ? {} : { allows: Inquiry.sorted(allows) })
})

const sortedByName = <A, B>(all: Iterable<readonly [string, A]>, each: (one: A) => B): Record<string, B> =>
  Object.fromEntries([...all].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, one]) => [name, each(one)]))

/**
 * Writes a lock: the tools by name, one thing to a line, nothing that depends on the machine or the hour.
 *
 * @since 0.1.0
 * @category codecs
 */
export const print = ({ servers, tools }: Manifest): string => {
  const document = {
    version: VERSION,
    ...(servers === undefined || servers.size === 0 ? {} : { servers: sortedByName(servers, serverWritten) }),
    tools: sortedByName(tools, written)
  }
  return `${JSON.stringify(document, null, 2).replace(UNSEEN, escaped)}\n`
}
