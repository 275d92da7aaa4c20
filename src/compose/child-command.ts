import { join } from "node:path";

/** Where Bun keeps the files inside a compiled executable. */
const insideExecutable = /^(\/\$bunfs\/|[A-Z]:[\\/]~BUN[\\/])/;

/** How this program starts itself again as a helper process: the executable, or bun with the source. */
export function childCommand(name: string): string[] {
  const main = insideExecutable.test(import.meta.path) ? [] : [join(import.meta.dir, "../main.ts")];
  return [process.execPath, ...main, name];
}
