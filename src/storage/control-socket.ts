import { join } from "node:path";

/** Returns the path of the socket on which the command line reaches a service of the server that owns the data folder. */
export const controlSocketPath = (folder: string, name = "control.sock"): string => join(folder, name);
