/**
 * Calls of the kernel by name, with their numbers on x86_64 and on aarch64. Numbers from 424 on are the same on both. Data
 * only: `SeccompFilter` says what follows from it.
 */

export type Numbers = readonly [x64: number, arm64: number | undefined]

/** Calls that no held child may make. Beside the sketch's own, these are what flatpak, codex and container runtimes refuse. */
export const refused: Readonly<Record<string, Numbers>> = {
  // Other processes.
  ptrace: [101, 117],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  process_madvise: [440, 440],
  process_mrelease: [448, 448],
  pidfd_getfd: [438, 438],
  kcmp: [312, 272],
  perf_event_open: [298, 241],
  // Where memory lies, of oneself and of others.
  migrate_pages: [256, 238],
  move_pages: [279, 239],
  mbind: [237, 235],
  set_mempolicy: [238, 237],
  get_mempolicy: [239, 236],
  set_mempolicy_home_node: [450, 450],
  // Keyrings.
  add_key: [248, 217],
  request_key: [249, 218],
  keyctl: [250, 219],
  // Parts of the kernel where holes are found, and that commands do without.
  bpf: [321, 280],
  userfaultfd: [323, 282],
  io_uring_setup: [425, 425],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  fanotify_init: [300, 262],
  fanotify_mark: [301, 263],
  name_to_handle_at: [303, 264],
  open_by_handle_at: [304, 265],
  lookup_dcookie: [212, 18],
  modify_ldt: [154, undefined],
  iopl: [172, undefined],
  ioperm: [173, undefined],
  uselib: [134, undefined],
  sysfs: [139, undefined],
  _sysctl: [156, undefined],
  nfsservctl: [180, 42],
  // The machine.
  syslog: [103, 116],
  acct: [163, 89],
  quotactl: [179, 60],
  quotactl_fd: [443, 443],
  kexec_load: [246, 104],
  kexec_file_load: [320, 294],
  create_module: [174, undefined],
  init_module: [175, 105],
  finit_module: [313, 273],
  delete_module: [176, 106],
  get_kernel_syms: [177, undefined],
  query_module: [178, undefined],
  swapon: [167, 224],
  swapoff: [168, 225],
  reboot: [169, 142],
  vhangup: [153, 58],
  settimeofday: [164, 170],
  clock_settime: [227, 112],
  adjtimex: [159, 171],
  clock_adjtime: [305, 266],
  sethostname: [170, 161],
  setdomainname: [171, 162],
  // Mounts and namespaces.
  mount: [165, 40],
  umount2: [166, 39],
  pivot_root: [155, 41],
  chroot: [161, 51],
  unshare: [272, 97],
  setns: [308, 268],
  open_tree: [428, 428],
  move_mount: [429, 429],
  fsopen: [430, 430],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fspick: [433, 433],
  mount_setattr: [442, 442],
  statmount: [457, 457],
  listmount: [458, 458],
  open_tree_attr: [467, 467]
}

/** Calls that start a process, beside `clone`, or leave the group that is stopped as one. */
export const starting: Readonly<Record<string, Numbers>> = {
  fork: [57, undefined],
  vfork: [58, undefined],
  setpgid: [109, 154],
  setsid: [112, 157]
}

/** Calls that depend on their arguments. */
export const examined = {
  clone: [56, 220],
  clone3: [435, 435],
  ioctl: [16, 29],
  personality: [135, 92],
  chmod: [90, undefined],
  fchmod: [91, 52],
  fchmodat: [268, 53],
  fchmodat2: [452, 452],
  creat: [85, undefined],
  open: [2, undefined],
  openat: [257, 56],
  openat2: [437, 437],
  mknod: [133, undefined],
  mknodat: [259, 33],
  socket: [41, 198],
  socketpair: [53, 199]
} as const satisfies Readonly<Record<string, Numbers>>

/**
 * The last call that this list was held against. What the kernel has learned since is not there for a child, as it would not
 * be on an older kernel: nobody has asked yet what it opens.
 */
export const LAST_KNOWN = 469
