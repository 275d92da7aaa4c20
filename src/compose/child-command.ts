import { join } from "node:path";

/** Where Bun keeps the files inside a compiled executable. */
const insideExecutable = /^(\/\$bunfs\/|[A-Z]:[\\/]~BUN[\\/])/;

/** On Linux also what runs after its file was replaced by a newer one: the helper must be of this version. */
const program = () => (process.platform === "linux" ? "/proc/self/exe" : process.execPath);

/** This program is compiled: everything that it loads is inside. */
export const isExecutable = insideExecutable.test(import.meta.path);

/** How this program starts itself again as a helper process: the executable, or bun with the source. */
export function childCommand(name: string): string[] {
  const main = isExecutable ? [] : [join(import.meta.dir, "../main.ts")];
  return [program(), ...main, name];
}
