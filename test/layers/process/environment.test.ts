/** An environment carries secrets in and code along: children get little of it, and tools add only what informs. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Process } from "../../../src/capabilities/process/Process.js"
import { canHold, directory, ear, messageOf, script, unheld, world } from "./harness.js"

const variables = (text: string) =>
  new Map(
    text
      .split("\n")
      .filter((line) => line.includes("="))
      .map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)])
  )

const refused = [
  ["K9/P04", ["LD_PRELOAD", "LD_LIBRARY_PATH", "LD_AUDIT", "DYLD_INSERT_LIBRARIES", "ld_preload"]],
  ["K9", ["NODE_OPTIONS", "NODE_PATH", "Node_Options"]],
  [
    "K9/P06",
    [
      ...["GIT_SSH", "GIT_SSH_COMMAND", "GIT_CONFIG_COUNT", "GIT_CONFIG_KEY_0", "GIT_CONFIG_VALUE_0"],
      ...["GIT_CONFIG_GLOBAL", "GIT_EXTERNAL_DIFF", "GIT_PAGER", "GIT_EDITOR", "GIT_EXEC_PATH"],
      ...["GIT_TEMPLATE_DIR", "GIT_PROXY_COMMAND", "GIT_ASKPASS", "GIT_DIR", "GIT_TRACE", "SSH_ASKPASS"]
    ]
  ],
  [
    "P07",
    [
      ...["PYTHONPATH", "PYTHONSTARTUP", "PYTHONHOME", "PYTHONINSPECT", "PERL5OPT", "PERL5LIB", "PERLLIB"],
      ...["RUBYOPT", "RUBYLIB", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS", "CLASSPATH"],
      ...["DOTNET_STARTUP_HOOKS", "GOFLAGS", "npm_config_registry", "NPM_CONFIG_PREFIX"]
    ]
  ],
  [
    "P07",
    [
      ...["BASH_ENV", "ENV", "IFS", "PS4", "SHELLOPTS", "BASHOPTS", "BASH_FUNC_ls%%", "PROMPT_COMMAND"],
      ...["GCONV_PATH", "LOCPATH", "HOSTALIASES", "MALLOC_CHECK_", "GLIBC_TUNABLES"],
      ...[
        "PAGER",
        "EDITOR",
        "VISUAL",
        "BROWSER",
        "LESSOPEN",
        "LESSCLOSE",
        "HOME",
        "SHELL",
        "XDG_CONFIG_HOME"
      ],
      ...["TAR_OPTIONS", "RIPGREP_CONFIG_PATH", "RSYNC_RSH", "MAKEFLAGS", "BAILIWICK_CHILD"]
    ]
  ],
  [
    "P07",
    [
      ...[
        "COMPILER_PATH",
        "GCC_EXEC_PREFIX",
        "LIBRARY_PATH",
        "CPATH",
        "C_INCLUDE_PATH",
        "CPLUS_INCLUDE_PATH"
      ],
      ...["RUSTUP_TOOLCHAIN", "RUSTC", "RUSTC_LINKER", "RUSTFLAGS", "CARGO_HOME", "cargo_build_rustc"],
      ...["CC", "CXX", "LD", "AR", "AS", "MAKE", "MAKEFILES", "cc", "Make"],
      ...["GOPATH", "GOROOT", "GOTOOLCHAIN", "GOENV", "GOPROXY"],
      ...["BUN_INSTALL", "DENO_DIR", "ERL_FLAGS", "ELIXIR_ERL_OPTIONS", "JULIA_LOAD_PATH"],
      ...["AWKPATH", "AWKLIBPATH", "LUA_PATH", "PHPRC", "PHP_INI_SCAN_DIR", "TCLLIBPATH"],
      ...["R_HOME", "R_PROFILE", "R_PROFILE_USER", "R_ENVIRON", "R_ENVIRON_USER"],
      ...["PYTHON", "PYTHONSAFEPATH", "PYTHONNOUSERSITE", "PYTHON_GIL", "pythonasynciodebug"],
      ...[
        "PIP_INDEX_URL",
        "UV_INDEX_URL",
        "YARN_RC_FILENAME",
        "PNPM_HOME",
        "COREPACK_NPM_REGISTRY",
        "TSX_TSCONFIG_PATH"
      ],
      ...["NODE_EXTRA_CA_CERTS", "NODE_DEBUG", "NODE_ENVIRONMENT", "node_pending_deprecation"]
    ]
  ],
  [
    "P07",
    [
      ...[
        "GNUPGHOME",
        "SSL_CERT_FILE",
        "SSL_CERT_DIR",
        "CURL_HOME",
        "CURL_CA_BUNDLE",
        "REQUESTS_CA_BUNDLE",
        "WGETRC"
      ],
      ...["KUBECONFIG", "DOCKER_HOST", "AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"],
      ...[
        "GOOGLE_APPLICATION_CREDENTIALS",
        "HTTP_PROXY",
        "HTTPS_PROXY",
        "ALL_PROXY",
        "NO_PROXY",
        "http_proxy",
        "no_proxy"
      ]
    ]
  ],
  ["K9", ["", "A=B", "A\u0000B", "A B", "A\nB", "1A", "__proto__.x"]]
] as const

describe("the environment of a child", () => {
  it.scoped("K7/P08: holds nothing of the operator's but a short list", () =>
    Effect.gen(function* () {
      const { as, operations, root } = yield* world({
        environment: {
          PATH: "/usr/bin:/bin:/nowhere",
          HOME: "/home/op",
          LANG: "C.UTF-8",
          LC_TIME: "C",
          TZ: "UTC",
          SECRET_KEY: "s3cret",
          AWS_SECRET_ACCESS_KEY: "s3cret",
          LD_PRELOAD: "/evil.so",
          NODE_OPTIONS: "--require /evil.js",
          path: "/evil"
        }
      })
      const found = (run: Process.Operations) =>
        Effect.map(run.spawn({ binary: "env", args: [] }), ({ stderr, stdout }) => {
          expect(stdout + stderr).not.toMatch(/s3cret|evil/)
          const all = variables(stdout)
          return { all, names: [...all.keys()].filter((name) => !name.startsWith("GIT_CONFIG_")).sort() }
        })
      const bare = yield* found(as({ sandbox: unheld }))
      expect(bare.names).toEqual(["BAILIWICK_CHILD", "HOME", "LANG", "LC_TIME", "PATH", "TZ"])
      expect(bare.all.get("PATH")).toBe("/usr/bin:/bin:/nowhere")
      if (!canHold) return
      // Inside, home and scratch space are its own, and the path has only what can be seen.
      const inside = yield* found(operations)
      expect(inside.names).toEqual(["HOME", "LANG", "LC_TIME", "PATH", "PWD", "TMPDIR", "TZ"])
      expect(["HOME", "TMPDIR", "PATH"].map((name) => inside.all.get(name))).toEqual([
        "/tmp",
        "/tmp",
        "/usr/bin:/bin"
      ])
      expect((yield* operations.spawn({ binary: "pwd", args: [] })).stdout).toBe(`${root}\n`)
    })
  )

  it.scoped("P08: is taken when the layer is made", () =>
    Effect.gen(function* () {
      const environment: Record<string, string> = { PATH: "/usr/bin:/bin" }
      const { operations } = yield* world({ environment })
      environment.LANG = "later"
      environment.PATH = "/nowhere"
      const { stdout } = yield* operations.spawn({ binary: "env", args: [] })
      expect(variables(stdout).has("LANG")).toBe(false)
      expect(variables(stdout).get("PATH")).toBe("/usr/bin:/bin")
    })
  )

  it.scoped("is all of the operator's where that is asked for, but never a loader", () =>
    Effect.gen(function* () {
      const { operations } = yield* world({
        env: "inherit",
        environment: {
          PATH: "/usr/bin:/bin",
          SOME_SETTING: "x",
          EDITOR: "vi",
          LD_LIBRARY_PATH: "/nowhere",
          GIT_SSH_COMMAND: "evil",
          "BASH_FUNC_ls%%": "() { evil; }",
          NODE_OPTIONS: "--evil"
        }
      })
      const { stdout } = yield* operations.spawn({ binary: "env", args: [] })
      expect(Object.fromEntries(variables(stdout))).toMatchObject({ SOME_SETTING: "x", EDITOR: "vi" })
      expect(stdout).not.toMatch(/LD_|evil|nowhere/)
    })
  )

  it.scoped("holds what the tool sets", () =>
    Effect.gen(function* () {
      const { operations } = yield* world()
      const env = {
        GREETING: "a=b\nc",
        TZ: "UTC",
        GIT_AUTHOR_NAME: "someone",
        NODE_ENV: "test",
        TMPDIR: "/tmp/x"
      }
      const { stdout } = yield* operations.spawn({
        binary: "sh",
        args: ["-c", 'printf "%s|" "$GREETING" "$TZ" "$GIT_AUTHOR_NAME" "$NODE_ENV" "$TMPDIR"'],
        env
      })
      expect(stdout).toBe("a=b\nc|UTC|someone|test|/tmp/x|")
    })
  )

  it.scoped.each([
    ...["NODE_ENV", "PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE", "PYTHONUTF8", "PYTHONIOENCODING"],
    ...["PYTHONHASHSEED", "GOOS", "ASSET", "CCC", "RUST_LOG", "LDAP"]
  ])("holds %s, which only informs", (name) =>
    Effect.gen(function* () {
      const { operations } = yield* world()
      const { stdout } = yield* operations.spawn({ binary: "env", args: [], env: { [name]: "given" } })
      expect(variables(stdout).get(name)).toBe("given")
    })
  )

  it.scoped("K9: the operator hears of a variable that is refused, by its name and not its value", () =>
    Effect.gen(function* () {
      const { as, root } = yield* world()
      const { heard, observe } = ear()
      const error = yield* Effect.flip(
        as({ observe }).spawn({ binary: "true", args: ["hunter2"], env: { CC: "hunter2" } })
      )
      expect(error.denial).toEqual({
        reason: "scope_violation",
        code: "ENV_REFUSED",
        detail: "'CC' may not be set, because it changes what a command runs or reads; leave it out",
        tool: "tool",
        capability: "process.exec",
        asked: `exec true with 1 argument in ${root}`,
        held: [],
        remedy: "leave it out"
      })
      expect(heard).toEqual([error.denial])
      yield* Effect.flip(as({ observe }).shell({ script: "hunter2", env: { "A B": "hunter2" } }))
      expect(heard[1]).toMatchObject({ code: "ENV_REFUSED", capability: "process.eval" })
      expect(JSON.stringify(heard)).not.toContain("hunter2")
    })
  )

  it.scoped("K6/P02: a tool's PATH neither finds the command nor reaches it", () =>
    Effect.gen(function* () {
      const evil = yield* directory
      script(`${evil}/printf`, "echo fake")
      const { operations } = yield* world({ path: "/usr/bin:/bin" })
      for (const name of ["PATH", "Path"]) {
        const env = { [name]: evil }
        expect((yield* operations.spawn({ binary: "printf", args: ["real"], env })).stdout).toBe("real")
        const inner = yield* operations.spawn({ binary: "sh", args: ["-c", "echo $PATH; env printf x"], env })
        expect(inner.stdout).toBe("/usr/bin:/bin\nx")
      }
    })
  )

  for (const [cases, names] of refused) {
    it.scoped.each([...names])(`${cases}: a tool may not set %j`, (name) =>
      Effect.gen(function* () {
        const { operations } = yield* world()
        const message = yield* messageOf(
          operations.spawn({ binary: "true", args: [], env: { [name]: "s3cret-value" } })
        )
        expect(message).toMatch(/^ENV_REFUSED: /)
        expect(message).not.toContain("s3cret-value")
      })
    )
  }

  it.scoped("K9: a value with NUL is refused", () =>
    Effect.gen(function* () {
      const { operations } = yield* world()
      const message = yield* messageOf(
        operations.spawn({ binary: "true", args: [], env: { A: "s3cret\u0000x" } })
      )
      expect(message).toMatch(/^ENV_REFUSED: /)
      expect(message).not.toContain("s3cret")
    })
  )
})
