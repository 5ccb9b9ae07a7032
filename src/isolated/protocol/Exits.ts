/** By which a process says that its module asked for the time, or for chance, while it was loaded. */
export const ASKED = 70
