import { node } from "../lib/command.js"
import { commandOf, versionOf } from "../lib/project.js"
import { failed, fromCommand, inOrder, type Step } from "../lib/step.js"
import { plain } from "../lib/terminal.js"

/**
 * TSTyche would download a compiler that it is asked for by version; a module of node_modules it only loads.
 * The address of its registry is a closed port, so that a download is an error and not a surprise.
 */
const testOn = (compiler: string) => async () => {
  const version = versionOf(compiler)
  const finished = await node([commandOf("tstyche")], {
    env: { TSTYCHE_TYPESCRIPT_MODULE: compiler, TSTYCHE_NPM_REGISTRY: "http://127.0.0.1:9" }
  })
  const output = plain(finished.output)
  if (finished.ok && !output.includes(`uses TypeScript ${version} `)) {
    return failed(`expected TSTyche to use TypeScript ${version}:\n${finished.output}`)
  }
  const count = /^Assertions:.*?(\d+) passed/m.exec(output)?.[1] ?? "0"
  return fromCommand(finished, `${count} assertions on ${version}`)
}

export const typetest: Step = {
  name: "typetest",
  about: "the type tests hold on TypeScript 5.9 and 6.0",
  run: () => inOrder([testOn("typescript"), testOn("typescript6")])
}
