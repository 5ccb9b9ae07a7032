/** Whether what keeps state is there, where a workspace has it kept elsewhere. */
import type { Check } from "./subjects.js"

const REMEDY = {
  STORAGE_UNREACHABLE: "do what it says; until then calls that need it answer not_available",
  STORAGE_NOT_READY: "the first call that needs them makes them, if the user of the URL may"
} as const

export const storage: Check = {
  name: "storage",
  passed: ({ storage: found }) =>
    found === undefined || "code" in found ? undefined : `${found.where} is there, with its tables`,
  findings: ({ storage: found }) =>
    found === undefined || !("code" in found)
      ? []
      : [
          {
            severity: found.code === "STORAGE_UNREACHABLE" ? "failure" : "warning",
            check: "storage",
            subject: "workspace",
            code: found.code,
            detail: found.detail,
            remedy: REMEDY[found.code]
          }
        ]
}
