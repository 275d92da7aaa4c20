import { AppError } from "../../kit/app-error.ts";
import type { BridgedTemplate } from "./jinja/jinja-bridge.ts";

/** A template of an author and its bridged source. */
export interface TemplateText {
  name: string;
  source: string;
  bridged: BridgedTemplate;
}

const SOURCE_LINE_MAX = 160;

/** A parsed error message of the engine; undefined if `thrown` is not about a template but a failure of the engine. */
export interface EngineComplaint {
  message: string;
  /** The engine's id of the template. */
  id: string;
  line: number;
  /** Starts at 1, in the bridged source. */
  column?: number;
}

/** Parses `kind: detail (in id:line)`, which may span several lines, and the marked excerpt after it. */
export function engineComplaint(thrown: unknown): EngineComplaint | undefined {
  if (!(thrown instanceof Error)) return undefined;
  const [, message, id, line, excerpt = ""] =
    /^(.*?) \(in (t\d+(?:\/[\w.-]+\$)?):(\d+)\)(?:\n(.*))?$/s.exec(thrown.message) ?? [];
  if (message === undefined || id === undefined || line === undefined) return undefined;
  const excerptLines = excerpt.split("\n");
  const marked = excerptLines.findIndex((text) => /^ *\d+ > /.test(text));
  const carets = excerptLines[marked + 1]?.indexOf("^") ?? -1;
  const margin = (excerptLines[marked]?.indexOf(" > ") ?? -1) + " > ".length;
  const column = marked !== -1 && carets >= margin ? carets - margin + 1 : undefined;
  return {
    message: message.replace("engine ran out of fuel", "takes too many steps"),
    id,
    line: Number(line),
    ...(column !== undefined && { column }),
  };
}

/** The error for a caller: template, line, column if known, and the text of the line. */
export function templateFault(
  code: "template_invalid" | "template_failed",
  { name, source, bridged }: TemplateText,
  complaint: EngineComplaint,
): AppError {
  const { line, message } = complaint;
  const text = source.split("\n")[line - 1] ?? "";
  const column =
    complaint.column === undefined ? undefined : originalColumn(source, bridged, line, complaint.column);
  const where = column === undefined ? `line ${line}` : `line ${line}, column ${column}`;
  const excerpt = text.trim().slice(0, SOURCE_LINE_MAX);
  return new AppError("unprocessable", code, `Template ${name}, ${where}: ${message}.`, {
    details: {
      problems: [
        { path: name, message: `${message}: ${excerpt}`, line, ...(column !== undefined && { column }) },
      ],
    },
  });
}

/** The error for a template that exceeded a limit for which the engine reports no line. */
export function templateLimit(name: string, message: string): AppError {
  return new AppError("unprocessable", "template_failed", `Template ${name}: ${message}.`, {
    details: { problems: [{ path: name, message }] },
  });
}

// Converts a column; bridging never changes the number of lines.
function originalColumn(source: string, bridged: BridgedTemplate, line: number, column: number): number {
  const offset = bridged.originalOffset(startOfLine(bridged.source, line) + column - 1);
  return Math.max(1, offset - startOfLine(source, line) + 1);
}

function startOfLine(text: string, line: number): number {
  let start = 0;
  for (let current = 1; current < line; current++) start = text.indexOf("\n", start) + 1;
  return start;
}
