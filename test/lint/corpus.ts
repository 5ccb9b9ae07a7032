/**
 * One corpus for every engine. A wrong case has what is found in it, in the order of the text, each with the reason that
 * decides what to use instead. All cases are below a folder `tools`, unless they say otherwise.
 */

export interface Case {
  readonly code: string
  readonly found: ReadonlyArray<string>
}

const wrong = (code: string, ...found: ReadonlyArray<string>): Case => ({ code, found })
const right = (code: string): Case => ({ code, found: [] })

const modules: ReadonlyArray<Case> = [
  wrong(`import { readFile } from "node:fs/promises"`, "node:fs/promises files"),
  wrong(`import fs from "fs"\nfs.readFileSync("x")`, "fs files"),
  wrong(`import * as cp from "child_process"\ncp.exec("x")`, "child_process process"),
  wrong(`import "node:http"`, "node:http network"),
  wrong(`import { lookup } from "dns"`, "dns network"),
  wrong(`import { Worker } from "node:worker_threads"`, "node:worker_threads threads"),
  wrong(`import { DatabaseSync } from "node:sqlite"`, "node:sqlite storage"),
  wrong(`import vm from "vm"`, "vm code"),
  wrong(`import os from "node:os"`, "node:os host"),
  wrong(`import x from "node:invented"`, "node:invented host"),
  wrong(`import http from "_http_client"`, "_http_client network"),
  wrong(`import { type Stats, statSync } from "fs"`, "fs files"),
  wrong(`export * from "node:fs"`, "node:fs files"),
  wrong(`export * as fs from "node:fs"`, "node:fs files"),
  wrong(`export { readFile } from "fs"`, "fs files"),
  wrong(`export { default } from "fs"`, "fs files"),
  wrong(`const fs = await import("node:fs")`, "node:fs files"),
  wrong(`const fs = await import(\`node:\${"fs"}\`)`, "node:fs files"),
  wrong(`const name = "f" + "s"\nconst fs = await import(name)`, "fs files"),
  wrong(`export const load = (name: string) => import(name)`, "import(…) code"),
  wrong(`const fs = require("fs")`, "fs files"),
  wrong(`const fs = globalThis.require("fs")`, "fs files"),
  wrong(`const fs = module.require("fs")`, "fs files"),
  wrong(`const r = require\nr("fs")`, "fs files"),
  wrong(`const x = require.main`, "require.main code"),
  wrong(`export const load = (name: string) => require(name)`, "require(…) code"),
  wrong(`register(require)\ndeclare const register: (x: unknown) => void`, "require code"),
  wrong(`import { createRequire } from "node:module"\ncreateRequire(import.meta.url)("fs")`, "fs files"),
  wrong(
    `import { createRequire as from } from "module"\nconst load = from(import.meta.url)\nconst { exec } = load("node:child_process")`,
    "node:child_process process"
  ),
  wrong(`import Module from "node:module"\nModule.createRequire("/")("net")`, "net network"),
  wrong(`import { register } from "node:module"`, "node:module.register code"),
  wrong(`import fs = require("fs")`, "fs files"),
  wrong(`const fs = import.meta.require("fs")`, "fs files"),
  wrong(`import "data:text/javascript,fetch('x')"`, "data:text/javascript,fetch('x') code"),
  wrong(`import addon from "./addon.node"`, "./addon.node code"),
  wrong(`import "file:///tmp/x.js"`, "file:///tmp/x.js code"),
  wrong(`import { $ } from "bun"`, "bun code"),
  wrong(`import { dlopen } from "bun:ffi"`, "bun:ffi code"),
  right(
    `import { join } from "node:path"\nimport { createHash, randomUUID } from "crypto"\nimport { URL } from "url"\nimport { inspect } from "util"\nimport { Buffer } from "node:buffer"\nimport { EventEmitter } from "events"\nimport { Readable } from "node:stream"`
  ),
  right(`import type { Stats } from "node:fs"`),
  right(`import { type Stats, type Dirent } from "fs"`),
  right(`export type { Stats } from "node:fs"`),
  right(`export type * from "node:fs"`),
  right(`import type fs = require("fs")`),
  right(`let x: typeof import("node:fs") | undefined`),
  right(`const require = (name: string) => name\nrequire("fs")`),
  right(
    `import { createRequire } from "node:module"\nconst data = createRequire(import.meta.url)("./data.json")`
  ),
  right(`const path = await import("node:path")`),
  right(`import { builtinModules } from "node:module"`),
  right(`import sqlite from "my-sqlite"\nimport fs from "./fs"\nimport net from "@scope/net"`)
]

const packages: ReadonlyArray<Case> = [
  wrong(`import { request } from "undici"`, "undici network"),
  wrong(`import axios from "axios"`, "axios network"),
  wrong(`import got from "got"`, "got network"),
  wrong(`import { WebSocket } from "ws"`, "ws network"),
  wrong(`import { execa } from "execa"`, "execa process"),
  wrong(`import spawn from "cross-spawn"`, "cross-spawn process"),
  wrong(`import fse from "fs-extra"`, "fs-extra files"),
  wrong(`import "dotenv/config"`, "dotenv/config secrets"),
  wrong(`import { S3Client } from "@aws-sdk/client-s3"`, "@aws-sdk/client-s3 network"),
  wrong(`import pg from "pg"`, "pg database"),
  wrong(`import { PgClient } from "@effect/sql-pg"`, "@effect/sql-pg database"),
  wrong(`import axios from "npm:axios@1.7.0"`, "npm:axios@1.7.0 network"),
  wrong(`const { default: got } = await import("got")`, "got network"),
  wrong(`export * from "undici"`, "undici network"),
  right(`import type { AxiosInstance } from "axios"`),
  right(`import { z } from "zod"\nimport { isEqual } from "lodash-es"\nimport x from "axios-like"`)
]

const globals: ReadonlyArray<Case> = [
  wrong(`export const get = () => fetch("https://x.org")`, "fetch network"),
  wrong(`const f = fetch\nf("x")\nf("y")`, "fetch network"),
  wrong(`fetch.call(globalThis, "x")`, "fetch network"),
  wrong(`const bound = fetch.bind(globalThis)`, "fetch network"),
  wrong(`globalThis.fetch("x")`, "fetch network"),
  wrong(`globalThis["fetch"]("x")`, "fetch network"),
  wrong(`globalThis["fe" + "tch"]("x")`, "fetch network"),
  wrong(`globalThis[\`fe\${"tch"}\`]("x")`, "fetch network"),
  wrong(`const key = "fetch"\nglobalThis[key]("x")`, "fetch network"),
  wrong(`window.self.globalThis.fetch("x")`, "fetch network"),
  wrong(`(globalThis as any).fetch("x")`, "fetch network"),
  wrong(`globalThis?.fetch?.("x")`, "fetch network"),
  wrong(`globalThis!.fetch("x")`, "fetch network"),
  wrong(`const { fetch } = globalThis\nfetch("x")`, "fetch network"),
  wrong(`const { fetch: get = undefined } = globalThis`, "fetch network"),
  wrong(`let get\n;({ fetch: get } = globalThis)`, "fetch network"),
  wrong(`const { process: { env: { HOME } } } = globalThis`, "process.env secrets"),
  wrong(`const g = globalThis\ng.fetch("x")`, "fetch network"),
  wrong(`let g\ng = globalThis\ng.fetch("x")`, "fetch network"),
  wrong(`export const f = (g = globalThis) => g.fetch("x")`, "fetch network"),
  wrong(`Reflect.get(globalThis, "fetch")("x")`, "fetch network"),
  wrong(`Reflect["get"](global, "fet" + "ch")`, "fetch network"),
  wrong(`export const f = (name: string) => globalThis[name]`, "globalThis[…] globals"),
  wrong(
    `export const f = (name: string) => Reflect.get(globalThis, name)`,
    "globalThis[…] globals",
    "globalThis globals"
  ),
  wrong(`console.log(Object.values(globalThis))`, "globalThis globals"),
  wrong(`export default globalThis`, "globalThis globals"),
  wrong(`export const all = { ...globalThis }`, "globalThis globals"),
  wrong(`const { Array, ...rest } = globalThis`, "globalThis globals"),
  wrong(`export const api = { fetch }`, "fetch network"),
  wrong(`export const api = { get: fetch }`, "fetch network"),
  wrong(`[fetch].map((f) => f("x"))`, "fetch network"),
  wrong(`export const f = (get = fetch) => get("x")`, "fetch network"),
  wrong(`export const f = ({ fetch } = globalThis) => fetch("x")`, "fetch network"),
  wrong(`export const f = ({ g: { fetch } = globalThis } = {}) => fetch("x")`, "fetch network"),
  wrong(`export const f = ([{ fetch } = globalThis] = []) => fetch("x")`, "fetch network"),
  wrong(`export const g = globalThis`, "globalThis globals"),
  wrong(`const g = globalThis\nexport { g }`, "globalThis globals"),
  wrong(`declare const fetch: (url: string) => void\nfetch("x")`, "fetch network"),
  wrong(`declare global { var fetch: any }\nfetch("x")`, "fetch network"),
  wrong(`interface fetch {}\nfetch("x")`, "fetch network"),
  wrong(`{ const fetch = 1 }\nfetch("x")`, "fetch network"),
  wrong(`const ws = new WebSocket("ws://x.org")`, "WebSocket network"),
  wrong(`class Mine extends EventSource {}`, "EventSource network"),
  wrong(`new XMLHttpRequest()`, "XMLHttpRequest network"),
  wrong(`navigator.sendBeacon("x")`, "navigator.sendBeacon network"),
  wrong(`globalThis.navigator["sendBeacon"]("x")`, "navigator.sendBeacon network"),
  wrong(`importScripts("x.js")`, "importScripts code"),
  wrong(`new Worker(new URL("./w.js", import.meta.url))`, "Worker threads"),
  wrong(`Bun.file("x")`, "Bun host"),
  wrong(`Deno.readTextFile("x")`, "Deno host"),
  wrong(`localStorage.setItem("a", "b")`, "localStorage storage"),
  right(`export const f = (fetch: (url: string) => void) => fetch("x")`),
  right(`import { fetch } from "./ours.js"\nfetch("x")`),
  right(`const WebSocket = class {}\nnew WebSocket()`),
  right(`function eval2() {}\nclass EventSource {}\nnew EventSource()`),
  right(`try {} catch (process) { process.env }`),
  right(`export const f = () => { var fetch = 1; { return fetch } }`),
  right(`export const f = () => { hoisted(); function fetch() {} function hoisted() { fetch() } }`),
  right(`const o = { fetch: 1, eval: 2 }\no.fetch\no["eval"]\nclass A { fetch() {} static process = 1 }`),
  right(
    `export type F = typeof fetch\nexport interface I { fetch: typeof globalThis.fetch; env: typeof process.env }`
  ),
  right(`if (typeof fetch === "function" && typeof process !== "undefined" && "x" in globalThis) {}`),
  right(`globalThis.Array.from([])\nglobalThis.structuredClone({})\nglobalThis[Symbol.for("x")]`),
  right(`const { Array, Map } = globalThis`),
  right(`enum Method { fetch = 1 }\nnamespace process { export const env = 1 }\nprocess.env`),
  right(`fetch: for (;;) break fetch`)
]

const process: ReadonlyArray<Case> = [
  wrong(`process.env.HOME`, "process.env secrets"),
  wrong(`process["env"]["HOME"]`, "process.env secrets"),
  wrong(`const { env } = process\nenv.HOME`, "process.env secrets"),
  wrong(`const { env: { HOME } } = process`, "process.env secrets"),
  wrong(`globalThis.process.env`, "process.env secrets"),
  wrong(`import process from "node:process"\nprocess.env.HOME`, "process.env secrets"),
  wrong(`import * as p from "process"\np.default.env`, "process.env secrets"),
  wrong(`import { default as p, env } from "process"\np.cwd()`, "process.env secrets", "process.cwd host"),
  wrong(`const { process: p } = globalThis\np.env`, "process.env secrets"),
  wrong(`export const f = ({ env } = process) => env.HOME`, "process.env secrets"),
  wrong(`Promise.resolve(import("node:process"))`, "process globals"),
  wrong(`import { env } from "node:process"`, "process.env secrets"),
  wrong(`import { env as e, platform } from "process"`, "process.env secrets"),
  wrong(`const { env } = await import("node:process")`, "process.env secrets"),
  wrong(`import("node:process").then(({ env }) => env.HOME)`, "process.env secrets"),
  wrong(`require("process").env`, "process.env secrets"),
  wrong(`export { env } from "node:process"`, "process.env secrets"),
  wrong(`export * from "node:process"`, `export * from "node:process" named`),
  wrong(`process.binding("fs")`, "process.binding code"),
  wrong(`process.getBuiltinModule("fs")`, "process.getBuiltinModule code"),
  wrong(`process.mainModule.require("fs")`, "process.mainModule code"),
  wrong(`process.exit(1)`, "process.exit host"),
  wrong(`process.kill(1)`, "process.kill process"),
  wrong(`process.stdout.write("x")`, "process.stdout output"),
  wrong(`export const f = (key: string) => process[key]`, "process[…] globals"),
  wrong(`console.log(process)`, "process globals"),
  wrong(`const { ...p } = process`, "process globals"),
  wrong(`import.meta.env.SECRET`, "import.meta.env secrets"),
  right(`process.platform\nprocess.hrtime.bigint()\nprocess.nextTick(() => {})`),
  right(`import { platform } from "node:process"`),
  right(`import.meta.url\nimport.meta.dirname`),
  right(`export const f = (process: { env: object }) => process.env`),
  right(`const process = { env: {} }\nprocess.env`)
]

const code: ReadonlyArray<Case> = [
  wrong(`eval("1")`, "eval code"),
  wrong(`(0, eval)("1")`, "eval code"),
  wrong(`const e = eval\ne("1")`, "eval code"),
  wrong(`globalThis.eval("1")`, "eval code"),
  wrong(`new Function("return 1")`, "Function code"),
  wrong(`Function("return 1")()`, "Function code"),
  wrong(`new globalThis.Function("return 1")`, "Function code"),
  wrong(`(() => {}).constructor("return 1")`, "the constructor of functions code"),
  wrong(`const F = (async () => {}).constructor`, "the constructor of functions code"),
  wrong(`Object.getPrototypeOf(async function () {}).constructor`, "the constructor of functions code"),
  wrong(`"".constructor.constructor("return 1")`, "the constructor of functions code"),
  wrong(`[]["map"]["constructor"]("return 1")`, "a constructor with text code"),
  wrong(`Function.prototype.constructor("return 1")`, "the constructor of functions code"),
  wrong(`setTimeout("1", 1)`, "setTimeout with text code"),
  wrong(`export const f = (x: string) => setInterval(\`run \${x}\`, 1)`, "setInterval with text code"),
  right(`x instanceof Function\nFunction.prototype.call\ndeclare const x: unknown`),
  right(`import { Function } from "effect"\nFunction.pipe(1)`),
  right(`class A { clone() { return new this.constructor("a") } constructor(x: string) {} }`),
  right(`setTimeout(() => {}, 1)\nsetImmediate(done)\ndeclare const done: () => void`),
  right(`export const f = (x: object) => x.constructor.name`)
]

const effect: ReadonlyArray<Case> = [
  wrong(`import { Config } from "effect"`, "effect/Config settings"),
  wrong(`import { ConfigProvider as P, Effect } from "effect"`, "effect/ConfigProvider settings"),
  wrong(`import * as Config from "effect/Config"`, "effect/Config settings"),
  wrong(`import * as E from "effect"\nE.Config.string("X")`, "effect/Config settings"),
  wrong(`import * as E from "effect"\nconst { Config } = E`, "effect/Config settings"),
  wrong(`import * as E from "effect"\nimport Config = E.Config`, "effect/Config settings"),
  wrong(`const { Config } = await import("effect")`, "effect/Config settings"),
  wrong(`export { Config } from "effect"`, "effect/Config settings"),
  wrong(`export * from "effect"`, `export * from "effect" named`),
  wrong(`import { HttpClient } from "@effect/platform"`, "@effect/platform/HttpClient bridge"),
  wrong(`import { FileSystem, Path } from "@effect/platform"`, "@effect/platform/FileSystem bridge"),
  wrong(
    `import { Command, CommandExecutor, KeyValueStore } from "@effect/platform"`,
    "@effect/platform/Command bridge",
    "@effect/platform/CommandExecutor bridge",
    "@effect/platform/KeyValueStore bridge"
  ),
  wrong(`import * as HttpClient from "@effect/platform/HttpClient"`, "@effect/platform/HttpClient bridge"),
  wrong(
    `import { Terminal, Worker } from "@effect/platform"`,
    "@effect/platform/Terminal unbridged",
    "@effect/platform/Worker unbridged"
  ),
  wrong(`import { FetchHttpClient } from "@effect/platform"`, "@effect/platform/FetchHttpClient live"),
  wrong(
    `import * as Platform from "bailiwick/platform"\nimport { FetchHttpClient, HttpClient } from "@effect/platform"`,
    "@effect/platform/FetchHttpClient live"
  ),
  wrong(`import { NodeContext } from "@effect/platform-node"`, "@effect/platform-node live"),
  wrong(
    `import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"`,
    "@effect/platform-node/NodeHttpClient live"
  ),
  wrong(
    `import { NodeFiles } from "bailiwick/node"\nimport { Effect } from "effect"\nexport const x = Effect.provide(NodeFiles.layer())`,
    "bailiwick/node live"
  ),
  wrong(`import { FilesBackend, Files } from "bailiwick"`, "bailiwick/FilesBackend live"),
  wrong(`import * as B from "bailiwick"\nB.NetworkBackend`, "bailiwick/NetworkBackend live"),
  wrong(`import { TestNetwork } from "bailiwick/testing"`, "bailiwick/testing tests"),
  right(`import { Effect, Schema, Layer } from "effect"\nimport * as Option from "effect/Option"`),
  right(`import type { Config } from "effect"`),
  right(`import { HttpClientRequest, Path } from "@effect/platform"`),
  right(
    `import { layerHttpClient } from "bailiwick/platform"\nimport { FileSystem, HttpClient } from "@effect/platform"`
  ),
  right(`import type { HttpClient } from "@effect/platform"`),
  right(`import { Network, Files, Secrets, Tool } from "bailiwick"`)
]

const odd: ReadonlyArray<Case> = [
  right(``),
  right(`const a = b\nvar b = a\na.fetch`),
  right(
    `label: { break label }\nclass A { #x = 1; static { this.y = 1 } get [Symbol.iterator]() { return 1 } accessor z = 1 }`
  ),
  right(
    `abstract class A<T extends object = {}> implements I { constructor(private readonly x: number) {} abstract m(): void; m2(this: A<T>): asserts this is A<T> {} }\ninterface I {}`
  ),
  right(
    `export const f = async function* <const T,>(x: T) { for await (const y of []) yield* y satisfies T }`
  ),
  right(`declare module "fs" { export const x: typeof process.env }\nexport {}`),
  right(`export {}\nusing x = null\nconst re = /fetch/v, big = 1n, t = String.raw\`\\u\``),
  wrong(`@decorate(fetch) class A {}\ndeclare const decorate: any`, "fetch network"),
  wrong(`class A { [fetch.name] = 1 }`, "fetch network"),
  wrong(`const \\u0066etch2 = f\\u0065tch`, "fetch network"),
  wrong(
    `export const f = ({ a = fetch, ...b } = {}, [c = eval] = []) => [a, b, c]`,
    "fetch network",
    "eval code"
  ),
  wrong(`switch (1) { case 1: let fetch }\nfetch()`, "fetch network"),
  wrong(`for (const fetch of []) {}\nfetch()`, "fetch network"),
  wrong(`export const f = function fetch() { return fetch }\nfetch()`, "fetch network")
]

export const corpus: Readonly<Record<string, ReadonlyArray<Case>>> = {
  modules,
  packages,
  globals,
  process,
  code,
  effect,
  odd
}
