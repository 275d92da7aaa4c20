import { join } from "node:path";

/** Environment variable with the path of the executable that the runner has built from this source. */
export const executableVariable = "ARGOSY_TEST_EXECUTABLE";

const built = process.env[executableVariable];

/**
 * The command line that runs this program: the executable that the runner has built, otherwise the source, which takes three times as much
 * CPU time to start.
 */
export const program: readonly string[] =
  built === undefined ? [process.execPath, join(import.meta.dir, "../../src/main.ts")] : [built];
