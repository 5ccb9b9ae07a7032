/**
 * What a command wrote, as a model can be given it. Where that is no text, its bytes stand beside the text: to run the
 * command once more for them would do once more what it does.
 */
import { Encoding, Schema } from "effect"
import type { Process } from "../../capabilities/process/Process.js"

const inBase64 = Schema.optionalWith(Schema.String, { exact: true })

export const Output = Schema.Struct({
  exitCode: Schema.Finite,
  signal: Schema.NullOr(Schema.String),
  stdout: Schema.String,
  stderr: Schema.String,
  truncated: Schema.Boolean,
  stdoutBase64: inBase64,
  stderrBase64: inBase64,
  note: Schema.optionalWith(Schema.String, { exact: true })
})

/** More is of no use to a model, and would leave no room for other results. */
const MAX_BYTES = 32_768

type Channel = "stdout" | "stderr"

const noteOf = (garbled: ReadonlyMap<Channel, Uint8Array>): string => {
  const names = [...garbled.keys()]
  const one = names.length === 1
  const isCut = [...garbled.values()].some(({ length }) => length > MAX_BYTES)
  return [
    `${names.join(" and ")} ${one ? "is" : "are"} not UTF-8: U+FFFD stands for what could not be read`,
    `${names.map((name) => `${name}Base64`).join(" and ")} ${one ? "has" : "have"} the ${isCut ? `first ${MAX_BYTES} ` : ""}bytes`,
    ...(isCut ? ["have the command write a file, and read that in parts, for the rest"] : [])
  ].join("; ")
}

/** What is to be known of the output, and of how the command ran. */
export const shown = ({
  notes = [],
  stderrBytes,
  stdoutBytes,
  ...result
}: Process.Result): typeof Output.Type => {
  const garbled = new Map<Channel, Uint8Array>()
  if (stdoutBytes !== undefined) garbled.set("stdout", stdoutBytes)
  if (stderrBytes !== undefined) garbled.set("stderr", stderrBytes)
  const said = [...(garbled.size === 0 ? [] : [noteOf(garbled)]), ...notes]
  if (said.length === 0) return result
  const encoded = (bytes: Uint8Array) => Encoding.encodeBase64(bytes.subarray(0, MAX_BYTES))
  return {
    ...result,
    ...(stdoutBytes === undefined ? {} : { stdoutBase64: encoded(stdoutBytes) }),
    ...(stderrBytes === undefined ? {} : { stderrBase64: encoded(stderrBytes) }),
    note: said.join("; ")
  }
}
