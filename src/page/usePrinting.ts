import { useLayoutEffect, useState } from "preact/hooks"

/** Whether the page is being put on paper: what is drawn for that alone is drawn then. */
export const usePrinting = (): boolean => {
  const [isPrinting, setPrinting] = useState(() => matchMedia("print").matches)
  // At once, so that no change is missed between the first look and the listening.
  useLayoutEffect(() => {
    const query = matchMedia("print")
    const follow = (): void => setPrinting(query.matches)
    query.addEventListener("change", follow)
    return () => query.removeEventListener("change", follow)
  }, [])
  return isPrinting
}
