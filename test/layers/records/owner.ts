/** A process of its own that names itself, and is dead by the time its name is used. */
import * as Owner from "../../../src/layers/node/disk/Owner.js"

process.stdout.write(Owner.name())
