/** A program that grants and revokes for as long as it is let: the directory of the workspace, and the grant. */
import { run } from "../../src/cli/run.js"

const [, , cwd = "", grant = ""] = process.argv

const around = {
  env: {},
  cwd,
  home: undefined,
  stdin: async () => "",
  stdout: { isTTY: false, columns: undefined },
  stderr: { isTTY: false, columns: undefined, write: () => {} },
  print: async () => undefined,
  complain: (text: string) => console.log(text),
  tty: undefined,
  signal: new AbortController().signal
}

for (let turn = 0; ; turn++) {
  const code = await run(["agents", turn % 2 === 0 ? "grant" : "revoke", "scout", grant, "--yes"], around)
  if (code !== 0) process.exit(code)
  if (turn === 1) console.log("warm")
}
