import { type Document, isCollection, isScalar, parseDocument, Scalar, stringify } from "yaml";
import type { Path } from "../../../manifest/fault.ts";

/**
 * Replaces the scalar at `path` and leaves all other text unchanged. Returns undefined if the new scalar would not be read correctly there.
 */
export function spliceScalar(
  text: string,
  document: Document,
  path: Path,
  value: unknown,
): string | undefined {
  const node = document.getIn(path, true);
  if (!isScalar(node) || !node.range || node.anchor !== undefined || node.tag !== undefined) return undefined;
  const [start, end] = node.range;
  const isBlock = node.type === Scalar.BLOCK_LITERAL || node.type === Scalar.BLOCK_FOLDED;
  const isInFlow = path.some((_, at) => {
    const above = document.getIn(path.slice(0, at), true);
    return isCollection(above) && above.flow === true;
  });
  const source =
    typeof value === "string" && value.includes("\n") && !isInFlow
      ? blockSource(value, columnOf(text, start) + 2)
      : lineSource(value, isInFlow);
  if (source === undefined) return undefined;
  // A block scalar ends with its line, an inline value does not.
  const isBlockNow = source.includes("\n");
  const tail = isBlock && !isBlockNow ? "\n" : "";
  const stop = !isBlock && isBlockNow ? endOfLine(text, end) : end;
  if (stop === undefined) return undefined;
  const gap = start === end && text[start - 1] === ":" ? " " : "";
  const changed = text.slice(0, start) + gap + source + tail + text.slice(stop);
  const reading = parseDocument(changed, { version: "1.2", schema: "core" });
  return reading.errors.length === 0 && reading.getIn(path) === value ? changed : undefined;
}

/** Returns the end of the line, or undefined if other text, such as a comment, follows the value. */
function endOfLine(text: string, from: number): number | undefined {
  const end = text.indexOf("\n", from);
  const rest = end === -1 ? text.slice(from) : text.slice(from, end);
  if (rest.trim() !== "") return undefined;
  return end === -1 ? text.length : end + 1;
}

/** Returns the column of the key whose value begins at `offset`. */
function columnOf(text: string, offset: number): number {
  const line = text.slice(text.lastIndexOf("\n", offset - 1) + 1, offset);
  return line.length - line.replace(/^[ -]*/, "").length;
}

function lineSource(value: unknown, isInFlow: boolean): string | undefined {
  const source = isInFlow
    ? stringify([value], { lineWidth: 0, collectionStyle: "flow", flowCollectionPadding: false })
        .trim()
        .slice(1, -1)
    : stringify(value, { lineWidth: 0, defaultStringType: "PLAIN" }).trimEnd();
  return source.includes("\n") ? JSON.stringify(value) : source;
}

function blockSource(value: string, indent: number): string | undefined {
  if (/^[ \t\n]/.test(value) || value.includes("\r")) return undefined;
  const body = value.replace(/\n+$/, "");
  const ends = value.length - body.length;
  const header = ends === 0 ? "|-" : ends === 1 ? "|" : "|+";
  const lines = body.split("\n").map((line) => (line === "" ? "" : " ".repeat(indent) + line));
  return `${header}\n${lines.join("\n")}\n${"\n".repeat(Math.max(ends - 1, 0))}`;
}
