/** What is said of how a command ran: each thing once, and not for ever. */

const MOST = 16

const MORE = "more connections of the command were refused; the events of the call name them"

export const once = (note: (text: string) => void): ((text: string) => void) => {
  const said = new Set<string>()
  return (text) => {
    if (said.has(text) || said.size > MOST) return
    said.add(text)
    note(said.size > MOST ? MORE : text)
  }
}
