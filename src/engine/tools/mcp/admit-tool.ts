import { createHash } from "node:crypto";
import { isRecord } from "../../../kit/json/is-record.ts";
import { visibleText } from "../../../kit/text/visible-text.ts";
import { type ParamHeader, paramHeaders } from "./stateless/param-headers.ts";

/** A tool as its server describes it, within size limits. The description is untrusted. */
export interface ServerTool {
  name: string;
  description: string;
  /** JSON Schema of the input, of type object. */
  parameters: Record<string, unknown>;
  /** JSON Schema of `structuredContent`, if the tool declares one. */
  output?: Record<string, unknown>;
  /** True if the server says that it only reads, or that repeating a call changes nothing more. */
  isRepeatable: boolean;
  /** Changes if the tool's definition changes. */
  hash: string;
  /** Characters that it adds to a model request. */
  chars: number;
  /** Inputs that go into headers, too; absent if none can. */
  headers?: readonly ParamHeader[];
}

export interface AdmissionTerms {
  /** True if inputs may go into headers, too: a tool that marks them badly is refused. */
  withHeaders?: boolean;
}

const nameCharsMax = 128;
const descriptionCharsMax = 2048;
const schemaCharsMax = 64 * 1024;
const depthMax = 32;

/** Returns the tool, or the reason why it can't be offered to a model. */
export function admitTool(
  given: unknown,
  { withHeaders = false }: AdmissionTerms = {},
): ServerTool | { name: string; reason: string } {
  if (!isRecord(given) || typeof given.name !== "string" || given.name === "") {
    return { name: "?", reason: "has no name" };
  }
  const name = visibleText(given.name.slice(0, nameCharsMax));
  const refused = (reason: string) => ({ name, reason });
  if (given.name.length > nameCharsMax) return refused(`has a name of more than ${nameCharsMax} characters`);
  const { inputSchema = { type: "object" }, outputSchema, execution, annotations, _meta } = given;
  if (isForAppsAlone(_meta)) return refused("is for MCP Apps only, which are not shown here");
  if (isRecord(execution) && execution.taskSupport === "required") {
    return refused("works only as a task, which is not available in this version");
  }
  const fault = schemaFault(inputSchema);
  if (fault !== undefined || !isRecord(inputSchema)) return refused(`has an input schema that ${fault}`);
  const headers = withHeaders ? paramHeaders(inputSchema) : [];
  if ("fault" in headers) return refused(headers.fault);
  const hasOutput = isRecord(outputSchema) && schemaFault(outputSchema) === undefined;
  const told = typeof given.description === "string" ? given.description : "";
  const description = bounded(visibleText(told));
  const parameters = withShownTexts(inputSchema);
  if (hasHiddenText(parameters)) return refused("has hidden characters in its input schema");
  const definition = JSON.stringify([given.name, told, inputSchema, hasOutput ? outputSchema : null]);
  return {
    name: given.name,
    description,
    parameters,
    ...(hasOutput ? { output: withShownTexts(outputSchema) } : {}),
    isRepeatable:
      isRecord(annotations) && (annotations.readOnlyHint === true || annotations.idempotentHint === true),
    hash: createHash("sha256").update(definition).digest("hex"),
    ...(headers.length > 0 ? { headers } : {}),
    chars: description.length + JSON.stringify(parameters).length,
  };
}

/** Returns true if only a page of the server may call the tool (MCP Apps, SEP-1865). Other tools with a page work without it. */
function isForAppsAlone(meta: unknown): boolean {
  const visibility = isRecord(meta) && isRecord(meta.ui) ? meta.ui.visibility : undefined;
  return Array.isArray(visibility) && visibility.length > 0 && !visibility.includes("model");
}

/** Keys of a schema that only describe it; other texts are part of what it accepts. */
const explains: ReadonlySet<string> = new Set(["description", "title", "$comment"]);

/** The schema without hidden characters in its descriptions and without the dialect, which a model doesn't need. */
function withShownTexts({ $schema: _, ...schema }: Record<string, unknown>): Record<string, unknown> {
  const text = JSON.stringify({ ...schema, type: "object" }, (key, value) =>
    explains.has(key) && typeof value === "string" ? shownText(key, visibleText(value)) : value,
  );
  return JSON.parse(text);
}

function shownText(key: string, text: string): string {
  return key === "description" ? bounded(text) : text;
}

/** Returns true if keys or values contain hidden characters, which can't be removed without changing what the tool accepts. */
function hasHiddenText(schema: object): boolean {
  const text = JSON.stringify(schema);
  return visibleText(text) !== text;
}

function bounded(text: string): string {
  return text.length <= descriptionCharsMax ? text : `${text.slice(0, descriptionCharsMax).toWellFormed()}…`;
}

function schemaFault(schema: unknown): string | undefined {
  if (!isRecord(schema)) return "is no object";
  if (schema.type !== undefined && schema.type !== "object") return "is not of type object";
  const fault = treeFault(schema);
  if (fault !== undefined) return fault;
  return JSON.stringify(schema).length > schemaCharsMax ? "has more than 64 Ki characters" : undefined;
}

/** Checks a schema without recursion, because its depth is untrusted. */
function treeFault(schema: unknown): string | undefined {
  const waiting: { value: unknown; depth: number }[] = [{ value: schema, depth: 1 }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { value, depth } = next;
    if (typeof value !== "object" || value === null) continue;
    if (depth > depthMax) return `is nested more than ${depthMax} deep`;
    for (const [key, inner] of Object.entries(value)) {
      if (
        /^\$(ref|dynamicRef|recursiveRef)$/.test(key) &&
        typeof inner === "string" &&
        !inner.startsWith("#")
      ) {
        return "refers to something outside of it";
      }
      waiting.push({ value: inner, depth: depth + 1 });
    }
  }
  return undefined;
}
