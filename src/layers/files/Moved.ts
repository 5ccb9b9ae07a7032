/** What becomes of symbolic links that are moved. */
import { FilesError } from "../../capabilities/files/FilesOperations.js"

/** Whether a link below a directory means the same wherever the directory is moved. */
export const staysInside = (root: string, path: string, target: string): boolean => {
  if (target.startsWith("/")) return false
  const at = path
    .slice(root.length + 1)
    .split("/")
    .slice(0, -1)
  for (const segment of target.split("/")) {
    if (segment === "..") {
      if (at.pop() === undefined) return false
    } else if (segment !== "" && segment !== ".") at.push(segment)
  }
  return true
}

export const fixedLink = (path: string): FilesError =>
  new FilesError({
    code: "NOT_A_FILE",
    detail: `${path} is a symbolic link, which may lead elsewhere from another place; move what it leads to`
  })

/** A file whose other names would change with it. */
export const sharedFile = (path: string): FilesError =>
  new FilesError({
    code: "FILES_FAILED",
    detail: `${path} has several names, and would change under all of them; write it as a whole, which leaves the others as they are`
  })
