/** Where secrets are looked for: the environment, and then the `.env` of the workspace. */
import { join } from "node:path"
import type { Layer } from "effect"
import type { SecretsBackend } from "../capabilities/secrets/SecretsBackend.js"
import { exists } from "./read.js"

export interface SecretPlaces {
  /** The workspace's root, where `.env` is looked for. */
  readonly workspace: string | undefined
  readonly env: Readonly<Record<string, string | undefined>>
}

export const secrets = async ({ env, workspace }: SecretPlaces): Promise<Layer.Layer<SecretsBackend>> => {
  const { layerDotEnv, layerEnvironment, layerFirstOf } = await import(
    "../layers/node/secrets/NodeSecrets.js"
  )
  const file = workspace === undefined ? undefined : join(workspace, ".env")
  return file !== undefined && exists(file)
    ? layerFirstOf(layerEnvironment({ environment: env }), layerDotEnv({ file }))
    : layerEnvironment({ environment: env })
}
