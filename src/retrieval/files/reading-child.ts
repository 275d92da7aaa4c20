import type { Clock } from "../../kit/clock.ts";
import { type AnswerLimits, createLineProcess } from "../../kit/process/line-process.ts";
import { type ChildAnswer, type ChildRequest, progressStart } from "./document-child.ts";
import type { DocumentFile } from "./document-file.ts";

/** A process that reads one file at a time; see `runDocumentChild`. */
export interface ReadingChild {
  ask(
    request: ChildRequest,
    limits: AnswerLimits,
    bytes: Uint8Array,
    progressed: DocumentFile["progressed"],
  ): Promise<ChildAnswer>;
  close(): void;
}

const MIB = 1024 * 1024;
const memory = { residentBytesMax: 640 * MIB, addressSpaceBytes: 4096 * MIB, keptBytesMax: 256 * MIB };

export function createReadingChild(command: readonly string[], clock: Clock): ReadingChild {
  let told: DocumentFile["progressed"];
  const child = createLineProcess<ChildRequest, ChildAnswer>({
    command,
    clock,
    memory,
    answerIn(line) {
      if (!line.startsWith(progressStart)) return line;
      told?.(JSON.parse(line));
      return undefined;
    },
  });
  return {
    ask(request, limits, bytes, progressed) {
      told = progressed;
      return child.ask(request, limits, bytes);
    },
    close: child.close,
  };
}
