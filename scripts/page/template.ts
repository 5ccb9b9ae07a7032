/**
 * The page of the audit log as one file without its data: its program and its styles stand in it, and its policy lets
 * nothing run or load but these.
 */
import { createHash } from "node:crypto"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { build } from "esbuild"
import { root } from "../lib/project.js"

const bundled = async (entry: string): Promise<string> => {
  const { outputFiles } = await build({
    entryPoints: [join(root, "src/page", entry)],
    tsconfig: join(root, "src/page/tsconfig.json"),
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    platform: "browser",
    target: ["chrome123", "firefox120", "safari17.5"],
    legalComments: "none",
    logLevel: "warning"
  })
  return (outputFiles[0]?.text ?? "").trim()
}

/** Whoever passes code on passes on the terms of those who wrote it. */
const terms = async (): Promise<string> =>
  `/*!\npreact: ${await readFile(join(root, "node_modules/preact/LICENSE"), "utf8")}*/\n`

const hashOf = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`

/** Nothing is loaded and nothing is sent. A browser also refuses to take any text for HTML. */
const policyOf = (script: string, style: string): string =>
  [
    "default-src 'none'",
    `script-src ${hashOf(script)}`,
    `style-src ${hashOf(style)}`,
    "img-src data:",
    "connect-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'"
  ].join("; ")

const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Cpath d='M4 9.5 16 4l12 5.5v13L16 28 4 22.5Z' fill='%23e9eefc' stroke='%232952c4' stroke-width='2.5'/%3E%3Ccircle cx='16' cy='16' r='4.5' fill='%232952c4'/%3E%3C/svg%3E"

/** With `@data@` where the data stands. */
export const template = async (): Promise<string> => {
  const [program, style, licence] = await Promise.all([
    bundled("main.tsx"),
    bundled("style/index.css"),
    terms()
  ])
  const script = `${licence}${program}`
  if (/<\/script|<!--/i.test(script) || /<\/style/i.test(style))
    throw new Error("the page would end in its own midst")
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policyOf(script, style)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<title>Audit - Bailiwick</title>
<link rel="icon" href="${ICON}">
<style>${style}</style>
</head>
<body>
<div id="page"></div>
<noscript><p>This page is drawn by a script that stands in it and loads nothing. Without scripts: bailiwick audit</p></noscript>
<script id="data" type="application/json">@data@</script>
<script>${script}</script>
</body>
</html>
`
}
