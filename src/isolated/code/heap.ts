/** How much of the memory of a worker its heap may have. */

const MEBIBYTE = 1024 * 1024

/** V8 collects what is garbage in time, and ends by itself, and in words, before the system ends it. */
export const heapOf = (memoryBytes: number): string =>
  `--max-old-space-size=${Math.max(16, Math.floor((memoryBytes * 0.6) / MEBIBYTE))}`
