import { join } from "node:path";

/** Where the command line reaches the server that owns the data folder. */
export const controlSocketPath = (folder: string): string => join(folder, "control.sock");
