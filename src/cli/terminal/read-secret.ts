import type { Call } from "../call.ts";
import { readText } from "./read-input.ts";
import { usageError } from "./report-error.ts";

const bytesMax = 4096;

/** Reads a secret, such as a password, without echo from a terminal, or the first line of stdin from a pipe. */
export async function readSecret({ shell, screen, signal }: Call, name: string): Promise<string> {
  const { stdin } = shell;
  const isTyped = stdin.isTTY === true;
  if (isTyped) screen.say(`${name.replace(/^./, (first) => first.toUpperCase())} (hidden):`);
  const secret = isTyped ? await readUnseen(stdin, signal) : await readText(stdin, bytesMax, signal);
  if (secret === "") throw usageError(`No ${name} was given.`, "Type it, or pipe it to stdin.");
  return secret;
}

/** Abilities of a terminal besides reading. */
interface Terminal {
  setRawMode?(raw: boolean): void;
}

const enter = ["\r", "\n", "\u0004"];
const backspace = ["\u0008", "\u007f"];
const interrupt = "\u0003";

async function readUnseen(stdin: Call["shell"]["stdin"] & Terminal, signal: AbortSignal): Promise<string> {
  stdin.setRawMode?.(true);
  const stop = () => void stdin.destroy(new Error("interrupted"));
  signal.addEventListener("abort", stop, { once: true });
  const typed: string[] = [];
  try {
    for await (const chunk of stdin) {
      for (const character of String(chunk)) {
        if (enter.includes(character)) return typed.join("");
        if (character === interrupt) throw usageError("No password was given.");
        if (backspace.includes(character)) typed.pop();
        else typed.push(character);
      }
    }
    return typed.join("");
  } finally {
    signal.removeEventListener("abort", stop);
    stdin.setRawMode?.(false);
  }
}
