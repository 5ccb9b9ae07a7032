/** Not a failure: the command is for the installation of the workspace to run, and nothing was done yet. */
export class HandOver extends Error {
  constructor(
    /** The module that runs it. */
    readonly program: string
  ) {
    super("the command is run by the installation of the workspace")
  }
}
