export { agenda } from "./agenda.ts"
export { jotNote } from "./jotNote.ts"
export { mailNote } from "./mailNote.ts"
