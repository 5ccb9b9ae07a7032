/** What the platform tells of a file: kind, size and time; of owners, modes and places on the disk a tool learns nothing. */
import * as FileSystem from "@effect/platform/FileSystem"
import { Option } from "effect"
import type { Files } from "../capabilities/files/Files.js"

export const infoOf = ({ kind, modifiedMillis, size }: Files.Stat): FileSystem.File.Info => ({
  type: kind === "file" ? "File" : "Directory",
  mtime: Option.some(new Date(modifiedMillis)),
  atime: Option.none(),
  birthtime: Option.none(),
  dev: 0,
  ino: Option.none(),
  mode: kind === "file" ? 0o100644 : 0o040755,
  nlink: Option.none(),
  uid: Option.none(),
  gid: Option.none(),
  rdev: Option.none(),
  size: FileSystem.Size(size),
  blksize: Option.none(),
  blocks: Option.none()
})
