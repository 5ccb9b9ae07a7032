import { useCallback, useLayoutEffect, useState } from "preact/hooks"
import { type Address, readAddress, writeAddress } from "./state/Address.js"

/** What the address says, and how to change it. What is typed makes no entries in the history, and links do. */
export const useAddress = (): readonly [Address, (change: (before: Address) => Address) => void] => {
  const [address, setAddress] = useState(() => readAddress(location.hash))
  // At once, so that no change is missed between the first look and the listening.
  useLayoutEffect(() => {
    const follow = (): void => setAddress(readAddress(location.hash))
    addEventListener("hashchange", follow)
    return () => removeEventListener("hashchange", follow)
  }, [])
  const change = useCallback((f: (before: Address) => Address) => {
    setAddress((before) => {
      const after = f(before)
      history.replaceState(null, "", writeAddress(after) || location.pathname + location.search)
      return after
    })
  }, [])
  return [address, change]
}
