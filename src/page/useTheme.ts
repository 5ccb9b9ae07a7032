import { useLayoutEffect, useState } from "preact/hooks"

export const themes = ["auto", "light", "dark"] as const

export type Theme = (typeof themes)[number]

const KEY = "bailiwick-theme"

/** A browser may keep nothing for a file. */
const kept = (): Theme => {
  try {
    const found = localStorage.getItem(KEY)
    return themes.find((theme) => theme === found) ?? "auto"
  } catch {
    return "auto"
  }
}

const keep = (theme: Theme): void => {
  try {
    localStorage.setItem(KEY, theme)
  } catch {
    // It is asked for again.
  }
}

export const useTheme = (): readonly [Theme, (theme: Theme) => void] => {
  const [theme, setTheme] = useState(kept)
  // Before anything is drawn, so that no page flashes up in colours that nobody chose.
  useLayoutEffect(() => {
    document.documentElement.dataset.theme = theme
  }, [theme])
  return [
    theme,
    (next) => {
      keep(next)
      setTheme(next)
    }
  ]
}
