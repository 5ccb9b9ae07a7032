/** Interactions, messages and signatures of Discord, in the shapes of its documentation. */
import { generateKeyPairSync, type KeyObject, sign } from "node:crypto"

const pair = generateKeyPairSync("ed25519")

/** The last 32 bytes of the key in DER are the key. */
export const PUBLIC_KEY = pair.publicKey.export({ format: "der", type: "spki" }).subarray(-32).toString("hex")

export const discordSigned = (body: string, seconds: number, key: KeyObject = pair.privateKey) => ({
  "x-signature-timestamp": String(seconds),
  "x-signature-ed25519": sign(null, Buffer.from(`${seconds}${body}`), key).toString("hex")
})

export const otherKey = generateKeyPairSync("ed25519").privateKey

interface File {
  readonly filename: string
  readonly content_type?: string
  readonly size?: number
  readonly url: string
}

export const discordCommand = (id: string, file: File) => ({
  id,
  application_id: "775799577604522054",
  type: 2,
  token: "unique_interaction_token",
  guild_id: "290926798626357999",
  channel_id: "645027906669510667",
  data: {
    id: "771825006014889984",
    name: "describe",
    type: 1,
    options: [
      { name: "picture", type: 11, value: "1" },
      { name: "style", type: 3, value: "short" }
    ],
    resolved: { attachments: { "1": { id: "1", proxy_url: file.url, ...file } } }
  }
})

export const discordMessage = (id: string, content: string, files: ReadonlyArray<File>) => ({
  id,
  channel_id: "645027906669510667",
  author: { id: "53908232506183680", username: "ada" },
  content,
  timestamp: "2026-01-01T00:00:00.000000+00:00",
  attachments: files.map((file, index) => ({ id: String(index), proxy_url: file.url, ...file }))
})
