import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";

type Value = string | number | boolean;

/**
 * Reads the options of a bench, whose types are those of the defaults, and its other arguments. With `--help`, prints the comment at the head of
 * the bench and exits.
 */
export function readOptions<Values extends Record<string, Value>>(
  defaults: Values,
): { [Name in keyof Values]: Widened<Values[Name]> } & { args: string[] } {
  const options: Record<string, { type: "boolean" | "string" }> = { help: { type: "boolean" } };
  for (const [name, value] of Object.entries(defaults))
    options[name] = { type: typeof value === "boolean" ? "boolean" : "string" };
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  if (values.help) {
    console.log(headOf(Bun.main));
    process.exit(0);
  }
  const read = Object.entries(defaults).map(([name, value]) => [name, readValue(name, values[name], value)]);
  return { ...Object.fromEntries(read), args: positionals };
}

type Widened<V extends Value> = V extends number ? number : V extends boolean ? boolean : string;

function readValue(name: string, given: unknown, otherwise: Value): unknown {
  if (given === undefined || typeof otherwise !== "number") return given ?? otherwise;
  if (given !== "" && Number.isFinite(Number(given))) return Number(given);
  console.error(`--${name} must be a number, got ${given}.`);
  process.exit(2);
}

const headOf = (file: string) =>
  /\/\*\*\n(.*?)\n \*\//s.exec(readFileSync(file, "utf8"))?.[1]?.replaceAll(/^ \* ?/gm, "") ?? "";
