/**
 * A small program that outlives this one for a moment. When this program is gone, however it went, it ends every child that
 * was being started, and removes what was made for them. A child that runs dies with its parent by itself; one that was
 * still being built does not.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { withoutInherited } from "./Inherited.js"

/**
 * It waits for the end of its input, which only this program holds open, and on which it hears how groups of processes are
 * called that are to be removed. Then it looks a few times: whoever was being forked
 * carries its mark only once it has been executed.
 */
const SCRIPT = `
trap '' HUP INT QUIT TERM PIPE
while read -r line; do groups=$line; done
rm -rf -- "$2"
rounds=0
while [ "$rounds" -lt 8 ]; do
  for file in $(grep -lsaF -- "$1" /proc/[0-9]*/environ); do
    file=\${file#/proc/}
    kill -KILL "\${file%/environ}" 2>/dev/null
  done
  rounds=$((rounds + 1))
  sleep 0.1
done
[ -n "$groups" ] && for group in "$groups"*; do rmdir "$group" 2>/dev/null; done
`

/** Starts it; nothing if the system has no shell for it. What it holds must not keep this program alive. */
export const start = (mark: string, directory: string): ChildProcess | undefined => {
  try {
    const warden = withoutInherited(3, (rest) =>
      spawn("/bin/sh", ["-c", SCRIPT, "bailiwick-warden", mark, directory], {
        cwd: "/",
        env: { PATH: "/usr/bin:/bin" },
        // Not in the group of this program, which a terminal may end as a whole.
        detached: true,
        stdio: ["pipe", "ignore", "ignore", ...rest]
      })
    )
    warden.on("error", () => {})
    warden.stdin?.on("error", () => {})
    warden.unref()
    const { stdin } = warden
    if (stdin !== null && "unref" in stdin && typeof stdin.unref === "function") stdin.unref()
    return warden
  } catch {
    return undefined
  }
}

/** Ends it before its time, when there is nothing left to do for it; answers when it is gone. */
export const dismiss = (warden: ChildProcess): Promise<void> =>
  new Promise((resolve) => {
    if (warden.pid === undefined || warden.exitCode !== null || warden.signalCode !== null) return resolve()
    warden.ref()
    warden.once("exit", () => resolve())
    warden.kill("SIGKILL")
  })
