import { join } from "node:path";

/** Folder of the files inside a compiled executable of Bun. */
const insideExecutable = /^(\/\$bunfs\/|[A-Z]:[\\/]~BUN[\\/])/;

/** On Linux this works even after the file was replaced by a newer one, so the helper has the same version. */
const program = () => (process.platform === "linux" ? "/proc/self/exe" : process.execPath);

/** True in a compiled executable, which contains everything it loads. */
export const isExecutable = insideExecutable.test(import.meta.path);

/** Command that starts this program again as a helper process: the executable, or bun with the source of helpers alone. */
export const childCommand = (name: string): string[] => [...programFrom("../helper.ts"), name];

/** Command that starts this program again with a command of its command line: the executable, or bun with the source. */
export const ownCommand = (name: string): string[] => [...programFrom("../main.ts"), name];

const programFrom = (source: string) =>
  isExecutable ? [program()] : [program(), join(import.meta.dir, source)];
