/** One line sent to the child. The child begins each of its own lines with `mark`, so that a tool's output can't be mistaken for one. */
export type OwnToolRequest =
  | { do: "load"; mark: string; workspace: string; file: string }
  | {
      do: "call";
      mark: string;
      workspace: string;
      hash: string;
      /** Absent if the child already has it. */
      program?: string;
      input: Record<string, unknown>;
      context: Record<string, unknown>;
    };

/** Stops the child's current call. */
export const stopLine = JSON.stringify({ do: "stop" });

/** The reason why a file provides no tool. */
export interface LoadFault {
  message: string;
  /** Absolute path; absent: the file itself. */
  file?: string;
  line?: number;
  column?: number;
}

export interface LoadedOwnTool {
  program: string;
  /** Absolute paths of the files from which the program was built. */
  inputs: string[];
  declared: { name: string; description: string; parameters: Record<string, unknown>; writes: boolean };
  /** Line of `export default`, for problems with the declaration. */
  line: number;
}

export type CallReply =
  | { success: true; data: unknown }
  | { success: false; error: string }
  /** `stack` is only logged. */
  | { threw: string; stack: string };

/** One line from the child with an answer. */
export type OwnToolAnswer = LoadedOwnTool | { fault: LoadFault } | CallReply;

/** Parses a line of the child: an answer, output of the tool, or undefined for an empty line. */
export function readChildLine(
  line: string,
  mark: string,
): { answer: string } | { printed: string } | undefined {
  const text = line.startsWith(mark) ? line.slice(mark.length) : undefined;
  if (text?.startsWith("A")) return { answer: text.slice(1) };
  if (text?.startsWith("P")) return { printed: String(JSON.parse(text.slice(1))) };
  return line === "" ? undefined : { printed: line };
}

export const answerLine = (mark: string, answer: OwnToolAnswer): string =>
  `\n${mark}A${JSON.stringify(answer)}\n`;

export const printedLine = (mark: string, text: string): string => `\n${mark}P${JSON.stringify(text)}\n`;
