/** Laws that are broken on purpose. Each is a slip that a reviewer could miss, and that types do not see. */

export interface Mutant {
  /** What no longer holds. */
  readonly law: string
  readonly file: string
  readonly from: string
  readonly to: string
  /** The tests that must notice. */
  readonly tests: ReadonlyArray<string>
}

const LATTICE = ["test/policy/lawsInside.test.ts", "test/policy/lawsOutside.test.ts"]

export const list: ReadonlyArray<Mutant> = [
  {
    law: "a meet of hosts is what both permit: the suffixes of one side are forgotten",
    file: "src/policy/lattice/HostSet.ts",
    from: "for (const suffix of [...this.below.keys(), ...that.below.keys()]) {",
    to: "for (const suffix of this.below.keys()) {",
    tests: LATTICE
  },
  {
    law: "a join of hosts keeps exceptions: they are merged as if there were none",
    file: "src/policy/lattice/HostSet.ts",
    from: "if (!sets.every((set) => set.onlyLetsIn)) return HostSet.either(sets)",
    to: "if (sets.length > 3) return HostSet.either(sets)",
    tests: LATTICE
  },
  {
    law: "inclusion of two alternatives asks every dimension: one is enough",
    file: "src/policy/lattice/alternative.ts",
    from: "outer.atoms.every((wide) =>",
    to: "outer.atoms.some((wide) =>",
    tests: LATTICE
  },
  {
    law: "a tree does not include what is above it",
    file: "src/policy/lattice/Glob.ts",
    from: "if (outer.literals > inner.literals || !prefixesAgree(outer, inner)) return false",
    to: "if (!prefixesAgree(outer, inner)) return false",
    tests: [...LATTICE, "test/policy/glob.test.ts"]
  },
  {
    law: "the index finds what a loop of '**' lets through: it stops before the last segment",
    file: "src/policy/lattice/GlobIndex.ts",
    from: "if (node.loops && enter(node, next)) return found",
    to: "if (node.loops && segment !== segments.at(-1) && enter(node, next)) return found",
    tests: [...LATTICE, "test/policy/globIndex.test.ts"]
  },
  {
    law: "what is written reads back as the same data: a word that YAML takes for a value is written plain",
    file: "src/policy/record/WrittenYaml.ts",
    from: "PLAIN.test(text) && !TAKEN.test(text)\n",
    to: "PLAIN.test(text)\n",
    tests: ["test/policy/recordText.test.ts"]
  },
  {
    law: "an edit leaves every other byte alone: a comment behind a value is lost",
    file: "src/policy/record/BlockEdit.ts",
    from: "const comment = isOneLine ? text.slice(last, to).trim() : commentOn(item.sep)",
    to: "const comment = isOneLine ? '' : commentOn(item.sep)",
    tests: ["test/policy/recordMerge.test.ts"]
  },
  {
    law: "nobody passes on more than they hold: only the first of several proposals is weighed",
    file: "src/policy/grant/Attenuation.ts",
    from: "if (gap === undefined) continue",
    to: "if (gap === undefined) return undefined",
    tests: [
      "test/policy/exceeding.test.ts",
      "test/registry/attenuation.test.ts",
      "test/hostile/roots.test.ts"
    ]
  },
  {
    law: "a root only narrows: one that lies outside is taken as it is",
    file: "src/policy/grant/Roots.ts",
    from: ': { _tag: "Outside" }\n}',
    to: ': { _tag: "Same", root }\n}',
    tests: ["test/policy/grantLaws.test.ts"]
  },
  {
    law: "a child gets no more than a pattern holds: a directory that is held alone is mounted with all that is in it",
    file: "src/policy/confinement/expand.ts",
    from: "const isHeld = set.holdsTree(PATH, segments)",
    to: "const isHeld = set.find({ [PATH]: segments }) !== undefined",
    tests: ["test/policy/confinementLaws.test.ts"]
  }
]
