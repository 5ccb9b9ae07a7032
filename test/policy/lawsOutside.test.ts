/** The laws of the lattice on what is outside of the program: hosts, files, commands. */
import { lawsOf } from "./laws.js"

lawsOf(["network", "private", "files", "process"])
