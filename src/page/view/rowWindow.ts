/** Which rows of a long list are drawn: those that are seen, and some above and below. All are of one height. */
export interface Window {
  readonly first: number
  /** One after the last. */
  readonly end: number
}

const BESIDE = 8

export const windowOf = (scrollTop: number, height: number, rowHeight: number, count: number): Window => ({
  first: Math.max(0, Math.min(count, Math.floor(scrollTop / rowHeight)) - BESIDE),
  end: Math.min(count, Math.ceil((scrollTop + height) / rowHeight) + BESIDE)
})

/** Where to scroll to, so that a row is seen; where it is seen already, nowhere else. */
export const showing = (row: number, scrollTop: number, height: number, rowHeight: number): number => {
  const top = row * rowHeight
  if (top < scrollTop) return top
  return top + rowHeight > scrollTop + height ? top + rowHeight - height : scrollTop
}
