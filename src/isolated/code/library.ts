/** Where this library is: what tools import of it is this copy, and no other. */
import { existsSync, realpathSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { lazy } from "../../policy/Memo.js"

const here = (): string =>
  import.meta.url.endsWith(".ts")
    ? resolve(dirname(fileURLToPath(import.meta.url)), "../../..")
    : dirname(createRequire(import.meta.url).resolve("bailiwick/package.json"))

/** Its own package. */
export const home: () => string = lazy(() => realpathSync(here()))

const source = (name: string): string => join(home(), `src/isolated/worker/${name}.ts`)

/** Where its sources are, it is read from them: they are not published. */
export const isSource: () => boolean = lazy(() => existsSync(source("main")))

const workers = (name: string): string =>
  isSource() ? source(name) : join(home(), `dist/isolated/worker/${name}.js`)

/** Where a worker begins, */
export const workerFile = (): string => workers("main")

/** and from where on it watches what a module does when it is loaded. */
export const loadingFile = (): string => workers("loading")

/** Where one begins that is started from a pack, and where a pack is made. */
export const packedFile = (): string => workers("packed")
