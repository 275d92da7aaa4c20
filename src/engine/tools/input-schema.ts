import { KindGuard, type TSchema } from "@sinclair/typebox";
import { Value, ValueErrorType } from "@sinclair/typebox/value";
import { type ReadInput, readQuickly } from "./bound-tool.ts";

/** Maximum number of problems in one message. */
const FAULTS_MAX = 5;

/** Validates inputs of built-in tools, whose parameters are TypeBox schemas. */
export function readByTypeBox(schema: TSchema): ReadInput {
  return readQuickly((given) => {
    const input = Value.Default(schema, structuredClone(given));
    if (Value.Check(schema, input)) return { input: input as Record<string, unknown> };
    const faults: string[] = [];
    for (const { path, message, type, schema: part } of Value.Errors(schema, input)) {
      const name = path.slice(1).replaceAll("/", ".") || "input";
      if (type === ValueErrorType.ObjectAdditionalProperties) faults.push(`${name} is not known`);
      else if (type === ValueErrorType.ObjectRequiredProperty) faults.push(`${name} is required`);
      else if (faults.some((fault) => fault.startsWith(`${name} is`))) continue;
      else if (KindGuard.IsUnion(part) && part.anyOf.every(KindGuard.IsLiteral))
        faults.push(`${name} must be one of ${part.anyOf.map(({ const: value }) => value).join(", ")}`);
      else faults.push(`${name}: ${message}`);
      if (faults.length === FAULTS_MAX) break;
    }
    return { fault: `The input doesn't fit the tool's parameters: ${faults.join("; ")}.` };
  });
}
