import { InvalidArgumentError } from "commander";

type Scalar = string | number | boolean;
type Condition = Record<string, unknown>;

const operators = { ">=": "gte", "<=": "lte", ">": "gt", "<": "lt" } as const;

/**
 * Adds a `--filter` to the earlier ones: `lang=en`, `year>=2020`. A key given twice with `=` may have either value; all bounds of one key
 * must hold. Numbers, `true` and `false` are read as such; in double quotes they are texts.
 */
export function filterOption(
  text: string,
  earlier: Record<string, Condition> = {},
): Record<string, Condition> {
  const parts = /^([^=<>]{1,255})(>=|<=|>|<|=)(.*)$/s.exec(text);
  const [, name = "", operator = "=", written = ""] = parts ?? [];
  const key = name.trim();
  if (parts === null || key === "") {
    throw new InvalidArgumentError("It must be like lang=en, year>=2020 or price<9.5.");
  }
  const before = Object.hasOwn(earlier, key) ? earlier[key] : undefined;
  return { ...earlier, [key]: joined(before, operator, scalarOf(written.trim())) };
}

function joined(before: Condition | undefined, operator: string, value: Scalar): Condition {
  if (operator === "=") {
    if (before === undefined) return { in: [value] };
    if (Array.isArray(before.in)) return { in: [...before.in, value] };
    throw new InvalidArgumentError("A key has either values or bounds.");
  }
  if (before !== undefined && "in" in before)
    throw new InvalidArgumentError("A key has either values or bounds.");
  if (typeof value === "boolean") throw new InvalidArgumentError("Only numbers and texts have an order.");
  return { ...before, [operators[operator as keyof typeof operators]]: value };
}

function scalarOf(text: string): Scalar {
  if (text === "true" || text === "false") return text === "true";
  if (/^-?(?:0|[1-9][0-9]{0,15})(?:\.[0-9]{1,15})?$/.test(text)) return Number(text);
  return text.length > 1 && text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1) : text;
}
