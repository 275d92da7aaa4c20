import { isRecord } from "../../../../kit/json/is-record.ts";
import { headerValue } from "./header-value.ts";

/** An input of a tool that its server wants to see in a header, too. */
export interface ParamHeader {
  /** The keys that lead to it. */
  path: readonly string[];
  header: string;
}

const keyword = "x-mcp-header";
const headersMax = 64;
/** A header that a server chooses may not be longer; Node's servers refuse 16 KiB of headers. */
const valueCharsMax = 4096;

/**
 * The inputs that a tool's schema marks with `x-mcp-header`, or the reason why the tool is not valid (MCP 2026-07-28, "Custom Headers from
 * Tool Parameters"). The schema's depth has been checked.
 */
export function paramHeaders(schema: Readonly<Record<string, unknown>>): ParamHeader[] | { fault: string } {
  const found: ParamHeader[] = [];
  const fault = look(schema, [], true, found);
  if (fault !== undefined) return { fault };
  const names = found.map(({ header }) => header.toLowerCase());
  if (new Set(names).size < names.length) return { fault: `names a header twice in ${keyword}` };
  if (found.length > headersMax) return { fault: `names more than ${headersMax} headers` };
  return found;
}

/** `isReached`: only `properties` lead here, so an input has one place for it. */
function look(
  value: unknown,
  path: readonly string[],
  isReached: boolean,
  found: ParamHeader[],
): string | undefined {
  if (Array.isArray(value)) return firstOf(value, (inner) => look(inner, path, false, found));
  if (!isRecord(value)) return undefined;
  if (keyword in value) {
    const fault = faultOf(value, isReached && path.length > 0);
    if (fault !== undefined) return fault;
    found.push({ path, header: `Mcp-Param-${value[keyword]}` });
  }
  return firstOf(Object.entries(value), ([key, inner]) => {
    if (key === "properties" && isRecord(inner))
      return firstOf(Object.entries(inner), ([name, property]) =>
        look(property, [...path, name], isReached, found),
      );
    // Values, in which the keyword means nothing.
    if (["enum", "const", "default", "examples"].includes(key)) return undefined;
    return look(inner, path, false, found);
  });
}

function faultOf(schema: Record<string, unknown>, isReached: boolean): string | undefined {
  const { [keyword]: name, type } = schema;
  if (typeof name !== "string" || !/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/.test(name))
    return `has an ${keyword} that is no name of a header`;
  if (type !== "string" && type !== "integer" && type !== "boolean")
    return `has an ${keyword} on an input that is no text, integer or boolean`;
  return isReached ? undefined : `has an ${keyword} where no input has one place`;
}

function firstOf<T>(items: Iterable<T>, faultIn: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const fault = faultIn(item);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** The headers of a call with this input. */
export function headersOfCall(
  headers: readonly ParamHeader[],
  input: Readonly<Record<string, unknown>>,
): Record<string, string> {
  const sent: Record<string, string> = {};
  for (const { path, header } of headers) {
    const value = path.reduce<unknown>(
      (at, key) => (isRecord(at) && Object.hasOwn(at, key) ? at[key] : undefined),
      input,
    );
    const text = typeof value === "string" ? value : isPlain(value) ? String(value) : undefined;
    if (text !== undefined && text.length <= valueCharsMax) sent[header] = headerValue(text);
  }
  return sent;
}

const isPlain = (value: unknown) => typeof value === "boolean" || Number.isSafeInteger(value);
