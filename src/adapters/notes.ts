/** What a message says in place of a file that was not taken, and names that are fit to be shown. */
import type { AttachmentsError } from "../capabilities/attachments/AttachmentsOperations.js"
import type { NetworkError } from "../capabilities/network/NetworkOperations.js"
import type { SecretsError } from "../capabilities/secrets/SecretsOperations.js"
import { shownName } from "../layers/node/attachments/Names.js"

/** Why a file is not taken, where neither the network nor the cache says so. */
export class NotTaken {
  readonly _tag = "NotTaken"
  constructor(readonly why: string) {}
}

export type Failure = NotTaken | NetworkError | SecretsError | AttachmentsError

/** What the model is told. The log has the rest: a server decides what its errors say. */
const ofNetwork: { readonly [C in NetworkError["code"]]: string } = {
  HOST_NOT_ALLOWED: "it is not at a host of the platform",
  METHOD_NOT_ALLOWED: "it is not at a host of the platform",
  URL_INVALID: "its address is not one of the platform",
  ADDRESS_NOT_ALLOWED: "its host has an address that is not public",
  REDIRECT_REFUSED: "its address leads away from the platform",
  HEADER_REFUSED: "the platform could not be asked for it",
  SEAL_REFUSED: "the platform could not be asked for it",
  LIMIT_EXCEEDED: "it is too large, or took too long",
  STATUS_NOT_OK: "the platform did not give it",
  DECODE_FAILED: "what the platform answered could not be read",
  REQUEST_FAILED: "the platform could not be reached"
}

export const whyOf = (failure: Failure): string => {
  if (failure._tag === "NotTaken") return failure.why
  if (failure._tag === "NetworkError") return ofNetwork[failure.code]
  // The cache names sizes and types, and nothing else.
  return failure._tag === "AttachmentsError" ? failure.detail : "the secret for it could not be read"
}

export const logText = (failure: Failure): string =>
  failure._tag === "NotTaken" ? failure.why : failure.message

/** What would be taken for markup, or for the end of a note. */
const MARKUP = /[<>&"'`[\]]/g

/** The name of a file as it can be shown anywhere, and whether that is what was sent. */
export const fitName = (
  filename: string | undefined
): { readonly name: string | undefined; readonly isChanged: boolean } => {
  const shown = shownName(filename)?.replace(MARKUP, "_")
  return { name: shown, isChanged: filename !== undefined && filename !== "" && shown !== filename }
}

const called = (name: string | undefined): string => (name === undefined ? "" : ` "${name}"`)

export const notTaken = (filename: string | undefined, why: string): string =>
  `[the file${called(fitName(filename).name)} was not taken: ${why}]`

export const tooMany = (left: number, most: number): string =>
  `[${left} more file${left === 1 ? " was" : "s were"} not taken: a message brings at most ${most}]`

export const renamed = (ref: string, name: string | undefined): string =>
  name === undefined
    ? `[the name of ${ref} was left out: it was not fit to be shown]`
    : `[the name of ${ref} was changed to "${name}": what was sent was not fit to be shown]`

/** More than anybody writes, and less than fills a model. */
const MAX_TEXT = 100_000

export const shortened = (text: string): string =>
  text.length <= MAX_TEXT
    ? text
    : `${text.slice(0, MAX_TEXT).replace(/[\uD800-\uDBFF]$/, "")}\n[the rest of this text was left out: it has ${text.length} characters]`
