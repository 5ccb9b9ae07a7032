/** File systems through which the kernel itself is read and changed, wherever they are mounted. */
import { statfsSync } from "node:fs"

const types: ReadonlySet<number> = new Set([
  0x9fa0, // proc
  0x62656572, // sysfs
  0x27e0eb, // cgroup
  0x63677270, // cgroup2
  0x64626720, // debugfs
  0x74726163, // tracefs
  0x73636673, // securityfs
  0x62656570, // configfs
  0xcafe4a11, // bpf
  0x1cd1, // devpts
  0x6165676c, // pstore
  0xde5e81e4, // efivarfs
  0x6e736673 // nsfs
])

/** Where that cannot be told, it is one. */
export const isOfKernel = (path: string): boolean => {
  if (process.platform !== "linux") return false
  try {
    return types.has(statfsSync(path).type)
  } catch {
    return true
  }
}
