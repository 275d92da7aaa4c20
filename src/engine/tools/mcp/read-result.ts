import { countSteps, type Work } from "../../../kit/concurrency/others-turn.ts";
import { isRecord } from "../../../kit/json/is-record.ts";
import { visibleText } from "../../../kit/text/visible-text.ts";
import type { ToolResult } from "../tool.ts";

type Mapping = Record<string, unknown>;

const textCharsMax = 1024 * 1024;
const errorCharsMax = 4000;
const partsMax = 1000;
/** Steps of joining the texts of an answer. */
const stepsOfTexts = 100_000;

/** Returns the violations of the tool's own schema by its data; undefined if there are none. */
export type OutputCheck = (data: unknown) => Work<string | undefined>;

/**
 * Converts a server's answer to a tool result: `structuredContent` if the tool declares a schema, otherwise the texts. Images, audio and
 * files are described. `isError` makes it a failure.
 */
export function* readResult(result: Mapping, check: OutputCheck | undefined): Work<ToolResult> {
  const { content, structuredContent, isError } = result;
  // Format of servers from 2024 without `content`.
  if (content === undefined && structuredContent === undefined && "toolResult" in result) {
    return { success: true, data: result.toolResult };
  }
  if (content !== undefined && !Array.isArray(content))
    return failed("The tool answered with something that is no result.");
  if (countSteps(stepsOfTexts)) yield;
  const text = textOf(content ?? []);
  if (isError === true) {
    const said = text === "" && structuredContent !== undefined ? JSON.stringify(structuredContent) : text;
    return failed(said === "" ? "The tool failed without saying why." : cut(said, errorCharsMax));
  }
  if (structuredContent !== undefined && (check !== undefined || text === "")) {
    const breach = check && (yield* check(structuredContent));
    if (breach === undefined) return { success: true, data: structuredContent };
    return failed(`The tool answered with data that does not have the shape it declares: ${breach}.`);
  }
  if (check !== undefined && text === "") return failed("The tool answered without the data it declares.");
  return { success: true, data: cut(text, textCharsMax) };
}

function textOf(content: readonly unknown[]): string {
  const parts = content.slice(0, partsMax).map(partText);
  if (content.length > partsMax) parts.push(`[${content.length - partsMax} further parts left out]`);
  return parts.join("\n");
}

function partText(part: unknown): string {
  if (!isRecord(part)) return "[a part that can't be read]";
  switch (part.type) {
    case "text":
      return typeof part.text === "string" ? part.text : "[a text that can't be read]";
    case "image":
    case "audio":
      return describeBytes(part.type, part.mimeType, part.data);
    case "resource_link":
      return `[a link to ${named(part)}]`;
    case "resource":
      return resourceText(part.resource);
    default:
      return "[a part of an unknown kind]";
  }
}

function resourceText(resource: unknown): string {
  if (!isRecord(resource)) return "[a file that can't be read]";
  const { text, blob, mimeType } = resource;
  if (typeof text === "string") return `[${named(resource)}]\n${text}`;
  return `[${named(resource)}] ${describeBytes("file", mimeType, blob)}`;
}

function named({ name, uri }: Mapping): string {
  const words = [name, uri]
    .filter((word) => typeof word === "string")
    .map((word) => visibleText(word).slice(0, 500));
  return words.length === 0 ? "a resource without an address" : words.join(" ");
}

function cut(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text;
  return `${text.slice(0, charsMax).toWellFormed()}\n[${text.length - charsMax} characters left out]`;
}

function failed(error: string): ToolResult {
  return { success: false, error };
}

/** First bytes of known formats, as hexadecimal digits; a dot is any digit. */
const beginnings: Readonly<Record<string, RegExp>> = {
  "image/png": /^89504e470d0a1a0a/,
  "image/jpeg": /^ffd8ff/,
  "image/jpg": /^ffd8ff/,
  "image/gif": /^47494638/,
  "image/webp": /^52494646.{8}57454250/,
  "image/bmp": /^424d/,
  "audio/wav": /^52494646.{8}57415645/,
  "audio/x-wav": /^52494646.{8}57415645/,
  "audio/mpeg": /^(494433|ff[ef])/,
  "audio/ogg": /^4f676753/,
  "application/pdf": /^25504446/,
  "application/gzip": /^1f8b/,
  "application/zip": /^504b/,
};

/**
 * Describes bytes that are not passed on in one line: their declared type, whether it is correct, and their size. `kind` is the type that
 * their position requires: `image`, `audio` or any `file`.
 */
export function describeBytes(kind: "image" | "audio" | "file", mimeType: unknown, data: unknown): string {
  if (typeof data !== "string") return `[${article(kind)} without data]`;
  const type =
    typeof mimeType === "string"
      ? (/^[\w.+-]{1,64}\/[\w.+-]{1,64}/.exec(mimeType)?.[0].toLowerCase() ?? "")
      : "";
  if (!isBase64(data)) return `[${article(kind)} whose data is no base64: left out]`;
  const said = type === "" ? "of no known type" : `said to be ${type}`;
  if (kind !== "file" && !type.startsWith(`${kind}/`))
    return `[${article(kind)} ${said}, which is no ${kind}: left out]`;
  const begin = Buffer.from(data.slice(0, 32), "base64").toString("hex");
  if (beginnings[type]?.test(begin) === false) return `[${article(kind)} ${said}, which it is not: left out]`;
  const kib = Math.max(1, Math.round((data.length * 3) / 4 / 1024));
  return `[${article(kind)}${type === "" ? "" : ` (${type})`} of ${kib} KiB, not shown]`;
}

function article(kind: string): string {
  return `${/^[aeiou]/.test(kind) ? "an" : "a"} ${kind}`;
}

function isBase64(data: string): boolean {
  return /^[A-Za-z0-9+/_-]*={0,2}\s*$/.test(data);
}
