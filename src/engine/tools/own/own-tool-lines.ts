/** One line to the child. `mark` begins every line that the child itself writes: what a tool prints can't be taken for it. */
export type ChildRequest =
  | { do: "load"; mark: string; workspace: string; file: string }
  | {
      do: "call";
      mark: string;
      workspace: string;
      hash: string;
      /** Absent where the child has had it. */
      program?: string;
      input: Record<string, unknown>;
      context: Record<string, unknown>;
    };

/** Ends the call that the child works at. */
export const stopLine = JSON.stringify({ do: "stop" });

/** Why a file gives no tool. */
export interface LoadFault {
  message: string;
  /** Absolute; absent: the file itself. */
  file?: string;
  line?: number;
  column?: number;
}

export interface Loaded {
  program: string;
  /** Files that the program was made from, by their absolute paths. */
  inputs: string[];
  declared: { name: string; description: string; parameters: Record<string, unknown>; writes: boolean };
  /** The line of `export default`, for what is wrong with the declaration. */
  line: number;
}

export type CallReply =
  | { success: true; data: unknown }
  | { success: false; error: string }
  /** `stack` is for the log. */
  | { threw: string; stack: string };

/** One line from the child that is an answer. */
export type ChildAnswer = Loaded | { fault: LoadFault } | CallReply;

/** What a line of the child is: an answer, something that the tool printed, or neither. */
export function readChildLine(
  line: string,
  mark: string,
): { answer: string } | { printed: string } | undefined {
  const text = line.startsWith(mark) ? line.slice(mark.length) : undefined;
  if (text?.startsWith("A")) return { answer: text.slice(1) };
  if (text?.startsWith("P")) return { printed: String(JSON.parse(text.slice(1))) };
  return line === "" ? undefined : { printed: line };
}

export const answerLine = (mark: string, answer: ChildAnswer): string =>
  `\n${mark}A${JSON.stringify(answer)}\n`;

export const printedLine = (mark: string, text: string): string => `\n${mark}P${JSON.stringify(text)}\n`;
