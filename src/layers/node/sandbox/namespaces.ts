/** What every held process has of its own, as arguments of bwrap. */
import { USER } from "./etc.js"

/** What tells a child of this program from every other process. bwrap keeps it from the command. */
export const MARK = "BAILIWICK_HELD"

export const NAMESPACES = [
  [
    "--unshare-user",
    "--unshare-pid",
    "--unshare-net",
    "--unshare-ipc",
    "--unshare-uts",
    "--unshare-cgroup-try"
  ],
  ["--uid", USER.id, "--gid", USER.id, "--hostname", "sandbox", "--cap-drop", "ALL"],
  // A session of its own: no terminal to type into, and a group that can be told to end.
  ["--die-with-parent", "--new-session", "--unsetenv", MARK]
].flat()

/** bwrap leaves `/proc/sys` open to root, because it looks at the directory and not at the files. */
export const PROC = ["--proc", "/proc", "--remount-ro", "/proc"]
