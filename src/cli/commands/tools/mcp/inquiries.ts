/** What a server may ask for, for a reader: how much is at stake, and what it means. */
import * as Inquiry from "../../../../policy/server/Inquiry.js"
import type { Row } from "../../../report/Table.js"
import { toneOf } from "../../agents/ShownGrants.js"

export const inquiryRow = (kind: Inquiry.Kind): Row => {
  const risk = Inquiry.risk(kind)
  return {
    label: risk,
    tone: toneOf(risk),
    title: `may ask for ${kind}`,
    detail: [`it ${Inquiry.describe(kind)}`]
  }
}

export const inquiryJson = (kind: Inquiry.Kind) => ({
  kind,
  risk: Inquiry.risk(kind),
  effect: Inquiry.describe(kind)
})
