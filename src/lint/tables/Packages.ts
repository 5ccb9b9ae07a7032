/**
 * Packages whose work is to touch the world, by the capability that takes their place. A name stands for all below it,
 * and one that ends in `*` for all that begin so.
 */
import { byName } from "./lists.js"
import type { Remedy } from "./Remedy.js"

const entries = byName({
  network: `
    undici axios got ky ws node-fetch cross-fetch isomorphic-fetch isomorphic-unfetch isomorphic-ws unfetch ofetch
    make-fetch-happen minipass-fetch superagent supertest request request-promise needle phin bent wretch gaxios
    follow-redirects http-proxy http-proxy-agent https-proxy-agent socks socks-proxy-agent proxy-agent agentkeepalive
    socket.io socket.io-client engine.io engine.io-client eventsource eventsource-client reconnecting-websocket
    faye-websocket websocket sockjs-client mqtt amqplib kafkajs nats nodemailer imapflow ssh2 ssh2-sftp-client ftp
    basic-ftp express fastify koa @hono/node-server polka h3 graphql-request @apollo/client @urql/core @trpc/client
    @grpc/grpc-js @connectrpc/connect-node googleapis google-auth-library openai @anthropic-ai/sdk @google/genai
    @mistralai/mistralai cohere-ai replicate stripe twilio @slack/web-api @slack/bolt discord.js telegraf
    @octokit/* octokit @aws-sdk/* aws-sdk @azure/* @google-cloud/* @sentry/node @modelcontextprotocol/sdk
    @elastic/elasticsearch @opensearch-project/opensearch @supabase/supabase-js firebase firebase-admin
    @vercel/blob @vercel/kv @upstash/* minio`,
  process: `
    execa cross-spawn cross-spawn-promise nano-spawn tinyexec spawn-please foreground-child child-process-promise
    zx shelljs node-pty @lydell/node-pty tree-kill ps-tree open which simple-git isomorphic-git dockerode
    puppeteer puppeteer-core playwright playwright-core @playwright/test selenium-webdriver concurrently nodemon`,
  files: `
    fs-extra graceful-fs glob globby fast-glob tinyglobby fdir rimraf del mkdirp make-dir chokidar @parcel/watcher
    tmp tmp-promise temp tempy temp-dir write-file-atomic atomically jsonfile load-json-file write-json-file
    proper-lockfile cpy cp-file move-file path-exists locate-path find-up find-up-simple pkg-dir pkg-up read-pkg
    read-package-up cosmiconfig lilconfig readdirp klaw tar tar-fs adm-zip trash env-paths`,
  secrets: `
    dotenv dotenv-expand dotenv-flow @dotenvx/dotenvx @next/env env-var envalid envsafe znv @t3-oss/env-core
    @t3-oss/env-nextjs convict rc nconf keytar @napi-rs/keyring`,
  database: `
    pg pg-pool postgres mysql mysql2 mariadb mssql tedious oracledb mongodb mongoose redis ioredis better-sqlite3
    sqlite sqlite3 libsql @libsql/client node-sqlite3-wasm @prisma/client knex sequelize typeorm @mikro-orm/core
    @neondatabase/serverless @planetscale/database cassandra-driver neo4j-driver level classic-level lmdb lowdb
    keyv cacache node-persist conf configstore @effect/sql-*`,
  code: `
    vm2 isolated-vm jiti tsx ts-node esm import-fresh require-from-string eval ffi-napi koffi node-gyp-build bindings
    @swc-node/register esbuild-register`,
  threads: "piscina tinypool workerpool threads jest-worker poolifier",
  live: `
    bailiwick/node @effect/platform-node @effect/platform-node-shared @effect/platform-bun @effect/platform-deno
    @effect/platform-browser`,
  tests: "bailiwick/testing"
})

export const packages: ReadonlyMap<string, Remedy> = new Map(entries)

const families = entries.flatMap(([name, remedy]) =>
  name.endsWith("*") ? [[name.slice(0, -1), remedy] as const] : []
)

/** The specifier itself and each of its parents: `a/b/c`, `a/b`, `a`. */
const parents = (specifier: string): ReadonlyArray<string> => {
  const words = specifier.split("/")
  return words.map((_, index) => words.slice(0, words.length - index).join("/"))
}

export const packageRemedy = (specifier: string): Remedy | undefined => {
  for (const name of parents(specifier)) {
    const remedy = packages.get(name)
    if (remedy !== undefined) return remedy
  }
  return families.find(([start]) => specifier.startsWith(start))?.[1]
}
