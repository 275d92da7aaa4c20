import { isRecord } from "../../kit/json/is-record.ts";
import type { CommandCall } from "../call.ts";
import { readText } from "../terminal/read-input.ts";
import { usageError } from "../terminal/report-error.ts";

/** Limit for the secrets, with room for white space. */
const bytesMax = 64 * 1024;

/** Reads a JSON object of texts from stdin. It is secret, so errors do not quote it. */
export async function readSecrets(
  { shell, screen, signal }: CommandCall,
  example: string,
): Promise<Record<string, string>> {
  if (shell.stdin.isTTY === true)
    screen.say(`The secrets as a JSON object, such as ${example}, then Ctrl-D:`);
  const text = await readText(shell.stdin, bytesMax, signal);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined;
  }
  if (isRecord(value)) {
    if (Object.values(value).every((one) => typeof one === "string")) return value as Record<string, string>;
  }
  throw usageError("The text on stdin is not a JSON object of texts.", `Pipe it in, such as ${example}.`);
}
