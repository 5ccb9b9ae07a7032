/**
 * @since 0.1.0
 */
import { Effect, Schema } from "effect"
import { Files } from "../../capabilities/files/Files.js"
import * as Ask from "../Ask.js"
import * as Tool from "../Tool.js"
import { path } from "./fields.js"

/**
 * @since 0.1.0
 * @category tools
 */
export const deleteFile = Tool.make({
  name: "delete_file",
  description: "Deletes a file, or a directory that is empty.",
  parameters: Schema.Struct({ path }),
  success: Schema.Struct({ path: Schema.String, deleted: Schema.Literal(true) }),
  category: "files",
  needs: ["files.delete"],
  capabilities: { fs_reach: { write: "from-personality" } },
  asks: ({ path }) => [Ask.remove(path)],
  execute: ({ path }) => Effect.as(Files.remove(path), { path, deleted: true as const })
})
