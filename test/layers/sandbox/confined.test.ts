/**
 * Threats: a child reads a credential in a tree that it may read (P17), changes what runs later (P15), or moves what stands
 * in its way. All of it in real repositories, with real programs, held by the kernel.
 */
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { canHold, world } from "../process/harness.js"
import { fill, folder } from "./folders.js"

const author = {
  GIT_AUTHOR_NAME: "a",
  GIT_AUTHOR_EMAIL: "a@example.com",
  GIT_COMMITTER_NAME: "a",
  GIT_COMMITTER_EMAIL: "a@example.com"
}

/** By the operator, before any child. */
const git = (cwd: string, ...args: ReadonlyArray<string>): string =>
  execFileSync("git", args, {
    cwd,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH: process.env.PATH, HOME: cwd, GIT_CONFIG_NOSYSTEM: "1", ...author }
  })

const rig = Effect.gen(function* () {
  const quarantine = yield* folder
  const { as, root } = yield* world({ sandbox: { quarantine } })
  const heard: Array<string> = []
  const operations = as({
    observe: (decision, asked) => {
      if (!decision.allowed) heard.push(asked.replace(root, ""))
    }
  })
  const shell = (script: string) => operations.shell({ script, cwd: root, env: author })
  return { heard, quarantine, root, shell }
})

const notesOf = ({ notes = [] }: { readonly notes?: ReadonlyArray<string> | undefined }) =>
  notes.filter((note) => note.includes("the child"))

describe.skipIf(!canHold)("A child that is held", () => {
  it.scoped("commits to a repository, and changes neither its hooks nor its settings [P15]", () =>
    Effect.gen(function* () {
      const { root, shell } = yield* rig
      git(root, "init", "-q", ".")
      const before = fs.readFileSync(join(root, ".git/config"), "utf8")
      const { exitCode, stderr } = yield* shell(
        "echo x > a && git add a && git commit -q -m one && git checkout -q -b two"
      )
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" })
      expect(git(root, "log", "--format=%s").trim()).toBe("one")
      const tried = [
        "echo x > .git/hooks/pre-commit",
        "echo x >> .git/config",
        "git config core.fsmonitor x",
        "mv .git g2",
        "mv .git/config .git/c2",
        "rm -rf .git/hooks",
        "mv .git/hooks h2",
        "ln -sf x .git/config"
      ]
      for (const script of tried) expect((yield* shell(script)).exitCode, script).not.toBe(0)
      expect(fs.readFileSync(join(root, ".git/config"), "utf8")).toBe(before)
      expect(fs.readdirSync(join(root, ".git/hooks")).every((name) => name.endsWith(".sample"))).toBe(true)
    })
  )

  it.scoped("makes repositories and clones them", () =>
    Effect.gen(function* () {
      const { heard, root, shell } = yield* rig
      const { exitCode, stderr, ...rest } = yield* shell(
        "git init -q a && cd a && git commit -q --allow-empty -m x && cd .. && git clone -q a b && cd b && git log --format=%s"
      )
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" })
      expect(git(join(root, "b"), "remote").trim()).toBe("origin")
      expect([notesOf(rest), heard]).toEqual([[], []])
      // The next child finds both as it finds any repository.
      expect(
        (yield* shell("cd b && git commit -q --allow-empty -m y && git push -q origin HEAD:refs/heads/other"))
          .exitCode
      ).toBe(0)
      expect((yield* shell("echo x > b/.git/hooks/pre-commit")).exitCode).not.toBe(0)
    })
  )

  it.scoped("leaves nothing that runs later: it is moved away, and said [P15]", () =>
    Effect.gen(function* () {
      const { heard, quarantine, root, shell } = yield* rig
      const { exitCode, ...rest } = yield* shell(
        "git init -q a && echo x > a/.git/hooks/pre-commit && git -C a config core.fsmonitor x && echo x > .envrc && mkdir -p node_modules/p && echo x > node_modules/p/.npmrc"
      )
      expect(exitCode).toBe(0)
      const gone = ["/.envrc", "/a/.git/config", "/a/.git/hooks"]
      expect(heard.sort()).toEqual(gone.map((path) => `write ${path}`))
      expect(notesOf(rest).length).toBe(3)
      expect(fs.readdirSync(root).sort()).toEqual(["a", "node_modules"])
      expect(fs.readFileSync(join(root, "a/.git/config"), "utf8")).not.toContain("fsmonitor")
      const [folder = ""] = fs.readdirSync(quarantine)
      expect(fs.readdirSync(join(quarantine, folder)).sort()).toEqual([
        "1-.envrc",
        "2-config",
        "3-hooks",
        "list.json"
      ])
      // Neither this child nor the next sees the quarantine.
      expect((yield* shell(`ls ${quarantine}`)).exitCode).not.toBe(0)
    })
  )

  it.scoped("finds credentials empty and what is guarded unchangeable, wherever they lie [P17]", () =>
    Effect.gen(function* () {
      const { root, shell } = yield* rig
      fill(root, {
        "deep/.ssh/id_ed25519": "secret",
        "deep/er/.netrc": "secret",
        "node_modules/a/id_rsa": "secret",
        "bailiwick.yaml": "mine",
        "sub/.vscode/tasks.json": "mine",
        "plain.txt": "open"
      })
      const { stdout } = yield* shell(
        "cat deep/.ssh/id_ed25519 deep/er/.netrc node_modules/a/id_rsa plain.txt 2>/dev/null; ls -A deep/.ssh; grep -rl secret . || true"
      )
      expect(stdout).toBe("open")
      const tried = [
        "echo x > bailiwick.yaml",
        "rm bailiwick.yaml",
        "mv sub/.vscode sub/v2",
        "mv sub s2",
        "echo x > sub/.vscode/tasks.json",
        "rm -f deep/er/.netrc",
        "mv deep d2"
      ]
      for (const script of tried) expect((yield* shell(script)).exitCode, script).not.toBe(0)
      expect(fs.readFileSync(join(root, "bailiwick.yaml"), "utf8")).toBe("mine")
      expect(fs.readFileSync(join(root, "sub/.vscode/tasks.json"), "utf8")).toBe("mine")
      expect((yield* shell("echo x > sub/.vscode/extensions.json && echo x > deep/new")).exitCode).toBe(0)
    })
  )

  it.scoped("reaches nobody through a pipe that lies in its tree", () =>
    Effect.gen(function* () {
      const { root, shell } = yield* rig
      execFileSync("mkfifo", [join(root, "queue")])
      // Somebody outside has it open, so that nothing would block.
      const fd = fs.openSync(join(root, "queue"), fs.constants.O_RDWR | fs.constants.O_NONBLOCK)
      yield* Effect.addFinalizer(() => Effect.sync(() => fs.closeSync(fd)))
      fs.writeSync(fd, "from outside\n")
      expect(
        (yield* shell("test -p queue && echo pipe; timeout 2 head -n 1 queue; echo out > queue")).stdout
      ).toBe("")
    })
  )
})
