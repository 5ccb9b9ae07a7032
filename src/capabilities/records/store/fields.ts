/** The parts of a record that are searched: what is in its title counts for more than what is in its body. */
import type { RecordText } from "../../../policy/record/RecordText.js"
import type { Field } from "./postings.js"
import { wordsOf } from "./tokens.js"

export const fieldsOf = (id: string, { body, tags, title = "" }: RecordText): ReadonlyArray<Field> => [
  { words: wordsOf(body), boost: 50, typical: 300 },
  { words: wordsOf(id), boost: 45, typical: 3 },
  { words: wordsOf(tags.join(" ")), boost: 60, typical: 4 },
  { words: wordsOf(title), boost: 100, typical: 5 }
]
