/** Children lead groups of their own, and do not end with this program unless they are told. */
import type { Machine } from "./machine.js"

const machines = new Set<Machine>()

const killAll = () => {
  for (const { running } of machines) for (const child of running) child.kill()
}

export const watch = (machine: Machine): void => {
  if (machines.size === 0) process.on("exit", killAll)
  machines.add(machine)
}

export const unwatch = (machine: Machine): void => {
  machines.delete(machine)
  if (machines.size === 0) process.off("exit", killAll)
}
