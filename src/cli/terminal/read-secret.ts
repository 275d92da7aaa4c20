import type { CommandCall } from "../call.ts";
import { readText } from "./read-input.ts";
import { usageError } from "./report-error.ts";

const bytesMax = 4096;

/** Reads a secret, such as a password, without echo from a terminal, or from stdin if that is a pipe. */
export async function readSecret(call: CommandCall, name: string): Promise<string> {
  const { stdin } = call.shell;
  const isTyped = stdin.isTTY === true;
  const [typed] = isTyped ? await readUnseen(call, [name]) : [await readText(stdin, bytesMax, call.signal)];
  return given(typed, name);
}

/** Reads several secrets, one after the other from a terminal, or one a line from stdin if that is a pipe. */
export async function readSecrets<Name extends string>(
  call: CommandCall,
  names: readonly Name[],
): Promise<Record<Name, string>> {
  const { stdin } = call.shell;
  const typed =
    stdin.isTTY === true
      ? await readUnseen(call, names)
      : (await readText(stdin, bytesMax, call.signal)).split(/\r?\n/);
  if (typed.length > names.length)
    throw usageError(`stdin has ${typed.length} lines.`, `Pipe one line each: ${names.join(", ")}.`);
  return Object.fromEntries(names.map((name, place) => [name, given(typed[place], name)])) as Record<
    Name,
    string
  >;
}

function given(secret: string | undefined, name: string): string {
  if (secret === undefined || secret === "")
    throw usageError(`No ${name} was given.`, "Type it, or pipe it to stdin.");
  return secret;
}

/** Abilities of a terminal besides reading. */
interface Terminal {
  setRawMode?(raw: boolean): void;
}

const enter = ["\r", "\n", "\u0004"];
const backspace = ["\u0008", "\u007f"];
const interrupt = "\u0003";

/** Asks for each secret in turn. The stream ends after the last, so all are read in one loop. */
async function readUnseen(
  { shell, screen, signal }: CommandCall,
  names: readonly string[],
): Promise<string[]> {
  const stdin: CommandCall["shell"]["stdin"] & Terminal = shell.stdin;
  const ask = (name = "") => screen.say(`${name.replace(/^./, (first) => first.toUpperCase())} (hidden):`);
  const secrets: string[] = [];
  ask(names[0]);
  stdin.setRawMode?.(true);
  const stop = () => void stdin.destroy(new Error("interrupted"));
  signal.addEventListener("abort", stop, { once: true });
  const typed: string[] = [];
  try {
    for await (const chunk of stdin) {
      for (const character of String(chunk)) {
        if (enter.includes(character)) {
          secrets.push(typed.splice(0).join(""));
          if (secrets.length === names.length) return secrets;
          ask(names[secrets.length]);
          continue;
        }
        if (character === interrupt) throw usageError("No password was given.");
        if (backspace.includes(character)) typed.pop();
        else typed.push(character);
      }
    }
    return [...secrets, typed.join("")];
  } finally {
    signal.removeEventListener("abort", stop);
    stdin.setRawMode?.(false);
  }
}
