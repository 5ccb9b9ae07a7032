// biome-ignore-all lint/suspicious/noTemplateCurlyInString: personalities write their variables like this
/**
 * Files that are wrong, large, or made to hurt: each is an error with a line, and never a throw, a hang or a default.
 */

import { Either, FastCheck as fc } from "effect"
import { describe, expect, it } from "vitest"
import type * as Authority from "../../src/policy/lattice/Authority.js"
import * as Personality from "../../src/policy/personality/Personality.js"
import { codePoint } from "../codePoints.js"
import { deep, times } from "../deep.js"
import { allows, parse, read, refused } from "./personalities.js"

describe("slips", () => {
  it.each([
    ["Y04", "fs_reech: {}", "KEY_UNKNOWN", "write 'fs_reach'"],
    ["Y04", "saftey: {}", "KEY_UNKNOWN", "write 'safety'"],
    ["Y04", "safety: { netwrok: {} }", "KEY_UNKNOWN", "write 'network'"],
    ["Y04", "safety: { network: { alow: [] } }", "KEY_UNKNOWN", "write 'allow'"],
    ["Y04", "fs_reach: { reed: [] }", "KEY_UNKNOWN", "write 'read'"],
    ["R8", "safety: { network: { allow_private_urls: yes } }", "KEY_UNKNOWN", "the keys are"],
    ["R8", "allow_private_urls: yes", "KEY_UNKNOWN", "the keys are"],
    ["Y04", "toString: x", "KEY_UNKNOWN", "the keys are"],
    ["Y04", "__proto__: { id: x }", "KEY_UNKNOWN", "the keys are"],
    [
      "Y01",
      "safety: { network: { allow: api.ok.com } }",
      "VALUE_INVALID",
      'write it in brackets: ["api.ok.com"]'
    ],
    ["Y05", "fs_reach: { read: from-personalty }", "VALUE_INVALID", "where a list belongs"],
    ["Y06", "process: { allow: git }", "VALUE_INVALID", "where a list belongs"],
    ["Y06", "secrets: { allow: a/b }", "VALUE_INVALID", "where a list belongs"],
    ["R7", "safety: strict", "VALUE_INVALID", "where a mapping belongs"],
    ["R7", "safety: [network]", "VALUE_INVALID", "where a mapping belongs"],
    ["R7", "safety: { network: true }", "VALUE_INVALID", "where a mapping belongs"],
    ["R7", "fs_reach:", "VALUE_INVALID", "where a mapping belongs"],
    ["H9", "fs_reach: { read: }", "VALUE_INVALID", "[] is none"],
    ["-", "fs_reach: { read: [~] }", "VALUE_INVALID", 'a lone ~ is written "~"'],
    ["-", "toolset: [1]", "VALUE_INVALID", 'quote it: "1"'],
    ["-", "toolset: [[a]]", "VALUE_INVALID", "where a string belongs"],
    ["-", "description: [a]", "VALUE_INVALID", "where a string belongs"],
    ["-", "id: q", "KEY_DUPLICATE", "keep one of the two"],
    ["-", "safety:\n\tnetwork: {}", "YAML_INVALID", "indent with spaces"],
    ["-", "safety: { network: { allow: [*] } }", "YAML_INVALID", 'quote it: "*"'],
    ["-", "safety: { network: { allow: [*.x.com] } }", "YAML_INVALID", 'quote it: "*.x.com"'],
    ["-", "fs_reach: { read: [${CWD}] }", "YAML_INVALID", "quote what holds one of"],
    ["-", "toolset: !!set {a}", "YAML_INVALID", "without its tag"],
    ["-", "toolset: !tools [a]", "YAML_INVALID", "without its tag"],
    ["-", "<<: { toolset: [a] }", "KEY_UNKNOWN", "the keys are"],
    ["-", "? [a]\n: b", "YAML_INVALID", "write 'key: value'"],
    ["-", "---\nid: q", "YAML_INVALID", "keep one document"],
    ["-", "sandbox: of", "VALUE_INVALID", "write one of 'required', 'preferred', 'off'"],
    ["-", "sandbox: true", "VALUE_INVALID", "where a string belongs"],
    ["-", "grants: [{ net.get: { hosts: [a] } }]", "GRANT_MISPLACED", "safety.network.allow"],
    ["-", "grants: records.read", "VALUE_INVALID", "where a list belongs"],
    ["-", "grants: [1]", "GRANT_MALFORMED", "expected a string"],
    ["-", "plugins: acme", "VALUE_INVALID", "where a list belongs"],
    ["-", "plugins: ['*']", "NAME_INVALID", "name each plugin"],
    ["-", "plugins: [../acme]", "NAME_INVALID", "name each plugin"],
    ["-", "mcp_servers:", "VALUE_INVALID", "where a list belongs"],
    ["-", "mcp_servers: [a__b]", "NAME_INVALID", "name each server"],
    ["-", "mcp_servers: [a_]", "NAME_INVALID", "name each server"],
    ["-", "mcp_server: [a]", "KEY_UNKNOWN", "write 'mcp_servers'"]
  ])("[%s] %j is %s", (_case, text, code, words) => {
    const error = refused(`id: p\n${text}`)
    expect(error.code).toBe(code)
    expect(error.line).toBeGreaterThan(1)
    expect(error.message).toContain(words)
    expect(error.message).toContain(`config.yaml:${error.line}:`)
    expect(error.message).not.toContain("\n")
  })

  it.each([
    ["nothing at all", "", "KEY_MISSING"],
    ["no id", "description: x", "KEY_MISSING"],
    ["an id that is a path", "id: ../x", "VALUE_INVALID"],
    ["an id with a colon", 'id: "a:b"', "VALUE_INVALID"],
    ["an id that is a number", "id: 1", "VALUE_INVALID"],
    ["a list at the top", "- id: p", "VALUE_INVALID"]
  ])("%s is an error", (_what, text, code) => {
    expect(refused(text).code).toBe(code)
  })

  it("one sentence names file, line, column and remedy", () => {
    expect(refused("id: p\nfs_reech: {}").message).toBe(
      "KEY_UNKNOWN: config.yaml:2:1 'fs_reech' is not a key of a personality; write 'fs_reach'"
    )
  })

  it("sandbox and empty grants are carried", () => {
    expect(read("id: p\nsandbox: off\ngrants: []").sandbox).toBe("off")
  })
})

describe("size", () => {
  it.each([
    ["Y18", "more than 1 MiB", `id: p\n#${"x".repeat(1024 * 1024)}`],
    ["Y18", "10^5 entries in a block", `id: p\ntoolset:\n${"- a\n".repeat(100_001)}`],
    ["Y18", "10^5 entries in brackets", `id: p\ntoolset: [${"a,".repeat(100_001)}]`]
  ])("[%s] %s is an error", (_case, _what, text) => {
    expect(refused(text).code).toBe("FILE_TOO_LARGE")
  })

  it.each([
    ["dashes", "- ".repeat(100_000)],
    ["brackets", "[".repeat(100_000)],
    ["braces", "{a: ".repeat(10_000)],
    ["question marks", "? ".repeat(100_000)],
    ["keys on one line", "a: ".repeat(100_000)],
    ["brackets over many lines", "[\n".repeat(50_000)]
  ])("nesting by %s is an error, and not the end of the process", (_what, text) => {
    expect(refused(text).code).toBe("YAML_INVALID")
  })

  it("many different keys cost no more than their number", () => {
    const text = Array.from({ length: deep ? 90_000 : 20_000 }, (_, i) => `k${i}: a`).join("\n")
    expect(refused(text).code).toBe("KEY_UNKNOWN")
  })

  it("an alias may be used, but not to multiply", () => {
    const shared = read("id: p\nfs_reach:\n  read: &r [/a]\n  write: *r")
    expect(allows(shared, "write /a/x")).toBe(true)
    const many = Array.from({ length: 20 }, () => "*a").join(", ")
    expect(refused(`id: p\ntoolset: [&a x, ${many}]`).message).toContain("more than 16 aliases")
    expect(refused("id: p\ntoolset: &a [*a]").code).not.toBe("none")
  })
})

describe("whatever is given", () => {
  const words = fc.constantFrom(
    ..."id: p|toolset:|fs_reach:|read:|write:|safety:|network:|allow:|deny:|private:|process:|secrets:|[]|{}|- |/a|~|*".split(
      "|"
    ),
    ..."${CWD}|\n|\n  |\n    |\t|: |, |[|]|{|}|&a |*a|!!str |'|\"|#|---|...|? ||| >|null|true|1|\\|\u0000|\uFEFF|é|%YAML 1.1".split(
      "|"
    )
  )
  const yaml = fc.oneof(
    fc.array(words, { maxLength: 30 }).map((all) => all.join("")),
    fc.array(words, { maxLength: 30 }).map((all) => `id: p\n${all.join(" ")}`),
    fc.string({ unit: codePoint, maxLength: 60 })
  )

  it("is a personality or an error with a line, and never a throw", () => {
    fc.assert(
      fc.property(yaml, fc.option(yaml, { nil: undefined }), (text, toolset) => {
        const result = parse(text, toolset)
        if (Either.isLeft(result)) {
          expect(result.left).toBeInstanceOf(Personality.PersonalityInvalid)
          expect(result.left.message).not.toMatch(/[\n\r]/)
          expect(result.left.line).toBeGreaterThan(0)
        } else Personality.policy(result.right)
      }),
      { numRuns: times(500) }
    )
  })

  const value: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
    any: fc.oneof(
      { depthSize: "small" },
      fc.constantFrom(
        "/a",
        "a.example",
        "*",
        "127.0.0.1:80",
        "git",
        "A",
        "session",
        "image",
        "off",
        1,
        null,
        true
      ),
      fc.array(tie("any"), { maxLength: 3 }),
      fc.dictionary(
        fc.constantFrom("id", "read", "write", "network", "allow", "deny", "private", "scopes", "kinds"),
        tie("any"),
        { maxKeys: 3 }
      )
    )
  })).any
  const keys = [
    "toolset",
    "fs_reach",
    "safety",
    "process",
    "secrets",
    "storage",
    "attachments",
    "sandbox",
    "grants",
    "plugins",
    "mcp_servers"
  ]

  it("of any shape under any key is read exactly or refused", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...keys), value, { maxKeys: 4 }), (given) => {
        const result = parse(JSON.stringify({ id: "p", ...given }))
        if (Either.isRight(result)) {
          const { authority, toolset } = result.right
          if (given.toolset === undefined) expect(toolset).toBeUndefined()
          else expect(toolset).toEqual(given.toolset)
          if (given.safety === undefined) expect(allowsAnyHost(authority)).toBe(false)
        }
      }),
      { numRuns: times(500) }
    )
  })

  const allowsAnyHost = ({ scopes }: Authority.Authority): boolean =>
    Object.values(scopes.network).some((hosts) => !hosts.isEmpty)
})
