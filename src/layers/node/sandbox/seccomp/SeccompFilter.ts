/**
 * What a held child may not ask of the kernel: a filter of system calls, for x86_64 and aarch64. It stands beside mounts and
 * namespaces, which hold what can be named; this holds ways around names.
 *
 * @since 0.1.0
 */
import { answer, assemble, fields, type Instruction, load, masked, unless, when } from "./instructions.js"
import { examined, LAST_KNOWN, type Numbers, refused, starting } from "./systemCalls.js"

/**
 * @since 0.1.0
 * @category models
 */
export type Architecture = "x64" | "arm64"

const architectures: Readonly<Record<Architecture, { readonly column: 0 | 1; readonly audit: number }>> = {
  x64: { column: 0, audit: 0xc000003e },
  arm64: { column: 1, audit: 0xc00000b7 }
}

const EPERM = 1
const ENOSYS = 38
const EAFNOSUPPORT = 97

const allowed = answer(0x7fff0000)
/** The whole process: who speaks another binary interface has one reason for it. */
const killed = answer(0x80000000)
const fails = (errno: number): Instruction => answer(0x00050000 | errno)

/** The call has one of these words there, or fails. */
const oneOf = (words: ReadonlyArray<number>, errno: number): ReadonlyArray<Instruction> => [
  ...words.flatMap((word) => when("equals", word, [allowed])),
  fails(errno)
]

/** Numbers of the x32 interface have this bit. */
const X32 = 0x40000000

/** NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID and NEWNET. `clone` does not take NEWTIME: its bit is the signal's. */
const NEW_NAMESPACES = 0x7e020000

/** Both put input into a terminal, as if somebody had typed it. */
const TIOCSTI = 0x5412
const TIOCLINUX = 0x541c

const PER_LINUX = 0
/** Asks which one it is. */
const PER_QUERY = 0xffffffff

const AF_UNIX = 1
const AF_INET = 2
const AF_INET6 = 10
const AF_NETLINK = 16
const NETLINK_ROUTE = 0
const SOCK_STREAM = 1
const SOCK_SEQPACKET = 5
/** The rest of a type are flags. */
const SOCK_TYPE = 0xf

/** A file with these runs as whoever it belongs to, which is who runs this program: not in here, but for everybody outside. */
const SET_USER = 0o4000
const SET_GROUP = 0o2000

/** Directories of shared repositories are given the group's bit, and a mode does not say what it is for. */
const changesMode = (argument: number): ReadonlyArray<Instruction> => [
  load(fields.argument(argument)),
  ...when("hasAny", SET_USER, [fails(EPERM)]),
  allowed
]

const makesFile = (argument: number): ReadonlyArray<Instruction> => [
  load(fields.argument(argument)),
  ...when("hasAny", SET_USER | SET_GROUP, [fails(EPERM)]),
  allowed
]

/** O_CREAT and the bit of O_TMPFILE: without them the mode is whatever happens to be there. */
const MAKES = 0x400040

const opens = (flags: number): ReadonlyArray<Instruction> => [
  load(fields.argument(flags)),
  ...unless("hasAny", MAKES, [allowed]),
  ...makesFile(flags + 1)
]

/** Each begins with its call's number loaded, and ends in an answer. */
const arguments_: Readonly<Record<keyof typeof examined, ReadonlyArray<Instruction>>> = {
  clone: [load(fields.argument(0)), ...when("hasAny", NEW_NAMESPACES, [fails(EPERM)]), allowed],
  // Its flags are behind a pointer. Libraries that are told so use `clone`.
  clone3: [fails(ENOSYS)],
  ioctl: [
    load(fields.argument(1)),
    ...when("equals", TIOCSTI, [fails(EPERM)]),
    ...when("equals", TIOCLINUX, [fails(EPERM)]),
    allowed
  ],
  personality: [load(fields.argument(0)), ...oneOf([PER_LINUX, PER_QUERY], EPERM)],
  chmod: changesMode(1),
  fchmod: changesMode(1),
  fchmodat: changesMode(2),
  fchmodat2: changesMode(2),
  creat: makesFile(1),
  mknod: makesFile(1),
  mknodat: makesFile(2),
  open: opens(1),
  openat: opens(2),
  // Its mode is behind a pointer. Who is told so uses `openat`.
  openat2: [fails(ENOSYS)],
  // No AF_UNIX: a path in a mounted tree, or an abstract name, would lead to whoever listens there. Of netlink only what
  // lists one's own interfaces; no VSOCK, which leads to the machine around this one.
  socket: [
    load(fields.argument(0)),
    ...when("equals", AF_INET, [allowed]),
    ...when("equals", AF_INET6, [allowed]),
    ...unless("equals", AF_NETLINK, [fails(EAFNOSUPPORT)]),
    load(fields.argument(2)),
    ...oneOf([NETLINK_ROUTE], EAFNOSUPPORT)
  ],
  // A pair of datagram sockets can be sent from to any named socket. A pair of streams leads to its other end only.
  socketpair: [
    load(fields.argument(0)),
    ...unless("equals", AF_UNIX, [fails(EAFNOSUPPORT)]),
    load(fields.argument(1)),
    masked(SOCK_TYPE),
    ...oneOf([SOCK_STREAM, SOCK_SEQPACKET], EAFNOSUPPORT)
  ]
}

/** A thread of the same process. */
const CLONE_THREAD = 0x10000

/** For a process that starts none and reaches nobody: what it was given is all that it has. */
const alone: Partial<typeof arguments_> = {
  clone: [load(fields.argument(0)), ...when("hasAny", CLONE_THREAD, [allowed]), fails(EPERM)],
  socket: [fails(EAFNOSUPPORT)]
}

/** The kernel remembers which numbers are always allowed, so that the length of the list costs nothing later. */
const programOf = (architecture: Architecture, isAlone: boolean): ReadonlyArray<Instruction> => {
  const { audit, column } = architectures[architecture]
  const on = (numbers: Numbers, then: ReadonlyArray<Instruction>): ReadonlyArray<Instruction> => {
    const number = numbers[column]
    return number === undefined ? [] : when("equals", number, then)
  }
  return [
    load(fields.architecture),
    ...unless("equals", audit, [killed]),
    load(fields.call),
    ...(architecture === "x64" ? when("atLeast", X32, [killed]) : []),
    ...when("atLeast", LAST_KNOWN + 1, [fails(ENOSYS)]),
    ...Object.values(refused).flatMap((numbers) => on(numbers, [fails(EPERM)])),
    ...(isAlone ? Object.values(starting).flatMap((numbers) => on(numbers, [fails(EPERM)])) : []),
    ...Object.entries(isAlone ? { ...arguments_, ...alone } : arguments_).flatMap(([name, then]) =>
      on(examined[name as keyof typeof examined], then)
    ),
    allowed
  ]
}

/**
 * @since 0.1.0
 * @category guards
 */
export const isKnown = (architecture: string): architecture is Architecture =>
  architecture === "x64" || architecture === "arm64"

/**
 * The filter as the kernel takes it: an array of `struct sock_filter`. Who is `alone` starts no process and makes no socket.
 *
 * @since 0.1.0
 * @category constructors
 */
export const bytesFor = (architecture: Architecture, isAlone = false): Buffer =>
  assemble(programOf(architecture, isAlone))
