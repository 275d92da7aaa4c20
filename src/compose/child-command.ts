import { join } from "node:path";

/** Folder of the files inside a compiled executable of Bun. */
const insideExecutable = /^(\/\$bunfs\/|[A-Z]:[\\/]~BUN[\\/])/;

/** On Linux this works even after the file was replaced by a newer one, so the helper has the same version. */
const program = () => (process.platform === "linux" ? "/proc/self/exe" : process.execPath);

/** True in a compiled executable, which contains everything it loads. */
export const isExecutable = insideExecutable.test(import.meta.path);

/** Command that starts this program again as a helper process: the executable, or bun with the source. */
export function childCommand(name: string): string[] {
  const main = isExecutable ? [] : [join(import.meta.dir, "../main.ts")];
  return [program(), ...main, name];
}
