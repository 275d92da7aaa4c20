import { createInterface } from "node:readline";
import { neutralise } from "./paint.ts";
import { interrupted } from "./report-error.ts";
import type { Shell } from "./shell.ts";

/** Returns true if a person reads and answers on this terminal. */
export const canAsk = ({ stdin, stderr }: Shell): boolean => stdin.isTTY === true && stderr.isTTY === true;

/** Asks a question that only "y" or "yes" answers with yes, and Ctrl-D with no. Ctrl-C throws AppError `interrupted`. */
export function askYesNo(shell: Shell, question: string): Promise<boolean> {
  const editor = createInterface({ input: shell.stdin, output: shell.stderr, terminal: true });
  return new Promise((resolve, reject) => {
    editor.on("close", () => resolve(false));
    // The terminal sends no signal while the editor reads keys.
    editor.on("SIGINT", () => {
      reject(interrupted());
      editor.close();
    });
    editor.question(`${neutralise(question)} [y/N] `, (answer) => {
      resolve(/^y(es)?$/i.test(answer.trim()));
      editor.close();
    });
  });
}
