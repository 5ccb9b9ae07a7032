/** Why children cannot be held here, and what the operator can do about it. Each is a sentence of its own. */

import type { ProcessBackend } from "../../../../capabilities/process/ProcessBackend.js"

export interface Unheld {
  readonly kind: ProcessBackend.Unheld
  readonly why: string
  readonly remedy: string
}

/** The text of a small file; nothing if it is not there. */
export type Read = (path: string) => string | undefined

const INSTALL: ReadonlyArray<readonly [system: RegExp, command: string]> = [
  [/\b(?:debian|ubuntu)\b/, "apt-get install"],
  [/\b(?:fedora|rhel|centos)\b/, "dnf install"],
  [/\barch\b/, "pacman -S"],
  [/\balpine\b/, "apk add"],
  [/\bsuse\b/, "zypper install"]
]

/** How a package is installed here, by the name that every distribution has it under. */
const install = (read: Read, name: string): string => {
  const system = (read("/etc/os-release") ?? "")
    .split("\n")
    .filter((line) => /^ID(?:_LIKE)?=/.test(line))
    .join(" ")
  const command = INSTALL.find(([pattern]) => pattern.test(system))?.[1]
  return command === undefined ? `install the package '${name}'` : `install it with '${command} ${name}'`
}

const PACKAGES = { bwrap: "bubblewrap", prlimit: "util-linux" } as const

export const missing = (
  read: Read,
  program: keyof typeof PACKAGES,
  why: "missing" | "setuid" | "writable" | "relative"
): Unheld => {
  const remedy = install(read, PACKAGES[program])
  switch (why) {
    case "missing":
      return { kind: "not_installed", why: `${program} is not installed`, remedy }
    case "setuid":
      return {
        kind: "setuid",
        why: `${program} is setuid, and would hold children with the rights of root`,
        remedy: `take the bit away with 'chmod u-s' and allow user namespaces instead`
      }
    case "writable":
      return {
        kind: "not_trusted",
        why: `the only ${program} here lies where others than root may write`,
        remedy
      }
    case "relative":
      return {
        kind: "not_trusted",
        why: `the only ${program} here was found by a relative entry of PATH`,
        remedy
      }
  }
}

const CONTAINER = /docker|containerd|kubepods|libpod|lxc/

const isContainer = (read: Read): boolean =>
  read("/.dockerenv") !== undefined ||
  read("/run/.containerenv") !== undefined ||
  CONTAINER.test(read("/proc/1/cgroup") ?? "")

const isSet = (read: Read, path: string, value: string): boolean => read(path)?.trim() === value

const FORBIDDEN = "user namespaces are forbidden"

/** What forbids namespaces; the narrowest first. */
const namespaces = (read: Read): Unheld => {
  if (isSet(read, "/proc/sys/kernel/unprivileged_userns_clone", "0")) {
    return {
      kind: "forbidden",
      why: `${FORBIDDEN} by kernel.unprivileged_userns_clone`,
      remedy: "run 'sysctl -w kernel.unprivileged_userns_clone=1'"
    }
  }
  if (isSet(read, "/proc/sys/user/max_user_namespaces", "0")) {
    return {
      kind: "forbidden",
      why: `${FORBIDDEN} by user.max_user_namespaces`,
      remedy: "run 'sysctl -w user.max_user_namespaces=15000'"
    }
  }
  if (isSet(read, "/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1")) {
    return {
      kind: "forbidden",
      why: `${FORBIDDEN} by AppArmor`,
      remedy:
        "give bwrap a profile with 'userns,' in /etc/apparmor.d/bwrap, or run 'sysctl -w kernel.apparmor_restrict_unprivileged_userns=0'"
    }
  }
  if (isContainer(read)) {
    return {
      kind: "in_container",
      why: `${FORBIDDEN} in this container`,
      remedy:
        "start it with '--security-opt seccomp=unconfined --security-opt apparmor=unconfined --security-opt systempaths=unconfined'"
    }
  }
  return { kind: "forbidden", why: FORBIDDEN, remedy: "allow this user to make them" }
}

const LONGEST = 200

const lastOf = (said: string): string => {
  const line = (said.trim().split("\n").at(-1) ?? "").slice(0, LONGEST)
  return line === "" ? "" : ` and says '${line}'`
}

/** From what bwrap wrote when it could not start `true`. */
export const diagnose = (read: Read, said: string): Unheld => {
  if (/unknown option/i.test(said)) {
    return {
      kind: "too_old",
      why: "bwrap is too old, because it has no --ro-bind-fd",
      remedy: "update the package 'bubblewrap' to 0.10 or later, or on Debian 12 to 0.8.0-2+deb12u1"
    }
  }
  if (/mount proc|proc on|\/newroot\/proc/i.test(said)) {
    return {
      kind: isContainer(read) ? "in_container" : "forbidden",
      why: isContainer(read) ? "this container masks /proc" : "/proc cannot be mounted anew",
      remedy: "start the container with '--security-opt systempaths=unconfined'"
    }
  }
  if (/namespace|uid map|gid map|setgroups|loopback|permission|not permitted|clone/i.test(said))
    return namespaces(read)
  if (/seccomp/i.test(said)) {
    return {
      kind: "forbidden",
      why: "the kernel takes no filter of system calls",
      remedy: "use a kernel with CONFIG_SECCOMP_FILTER"
    }
  }
  return {
    kind: "forbidden",
    why: `bwrap does not start here${lastOf(said)}`,
    remedy: "start 'bwrap --unshare-all --ro-bind / / true' by hand to see why"
  }
}

/** From what `sandbox-exec` of macOS wrote when it could not start `true`; nothing, where it is not there. */
export const unprofiled = (program: string, said: string | undefined): Unheld => {
  if (said === undefined) {
    return {
      kind: "not_installed",
      why: `${program} is not there`,
      remedy: "use a version of macOS that has it"
    }
  }
  if (/not permitted/i.test(said)) {
    return {
      kind: "forbidden",
      why: "sandbox-exec may not be used here, as inside of another sandbox",
      remedy: "start this program outside of what holds it"
    }
  }
  return {
    kind: "forbidden",
    why: `sandbox-exec does not start here${lastOf(said)}`,
    remedy: `start "${program} -p '(version 1)(allow default)' /usr/bin/true" by hand to see why`
  }
}

/** There is no sandbox for such a system. */
export const unsupported = (platform: string): Unheld => ({
  kind: "unsupported",
  why: `there is no sandbox for ${platform}`,
  remedy: "grant commands only to whom the machine may be trusted"
})
