const importOf = (name: string): string => {
  const [exported = name, local = exported] = name.split(" as ")
  if (name.startsWith("type ")) return ""
  // The modules have capitals; the few functions beside them are of one module.
  return /^[A-Z]/.test(exported)
    ? `import * as ${local} from "effect/${exported}"`
    : `import { ${name} } from "effect/Function"`
}

/**
 * Effect from the modules that are named, instead of from the index of all of them: of a namespace that comes through
 * an index everything is bundled or loaded, and of one that is imported itself what is used.
 */
export const byModule = (text: string): string =>
  text.replace(/^import \{([^}]*)\} from "effect"$/gm, (_, names: string) =>
    names
      .split(",")
      .map((name) => importOf(name.trim()))
      .join(";")
  )
