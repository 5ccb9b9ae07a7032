/** What is no ref, in the words of the category. */
import type { Denial } from "../../policy/lattice/Denial.js"
import type { ScopeInvalid } from "../../policy/lattice/ScopeInvalid.js"
import { SecretsError } from "./SecretsOperations.js"

export const malformed = ({ detail }: ScopeInvalid, denial: Denial): SecretsError =>
  new SecretsError({
    code: "SECRET_REF_INVALID",
    detail,
    denial: { ...denial, code: "SECRET_REF_INVALID" }
  })
