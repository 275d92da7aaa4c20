import type { Clock } from "../../../kit/clock.ts";
import {
  type AnswerLimits,
  createLineProcess,
  type LineProcess,
  MemoryLimitPassed,
  StartFailed,
  TimeLimitPassed,
} from "../../../kit/process/line-process.ts";
import { LineTooLong } from "../../../kit/text/split-lines.ts";
import type { ToolResult } from "../tool.ts";
import {
  type CallReply,
  type LoadedOwnTool,
  type LoadFault,
  type OwnToolAnswer,
  type OwnToolRequest,
  readChildLine,
  stopLine,
} from "./own-tool-lines.ts";
import type { OwnCall, OwnTool } from "./own-tools.ts";

const MIB = 1024 * 1024;
/** Maximum parallel calls; others wait, which counts toward their time limit. */
const processesMax = 4;
const memory = {
  residentBytesMax: 512 * MIB,
  addressSpaceBytes: 4096 * MIB,
  keptBytesMax: 256 * MIB,
};
const lineBytesMax = 64 * MIB;
const loadLimitMs = 10_000;
/** Time that a tool gets after its signal aborted. */
const graceMs = 1000;
/** Longer than the time limit of any call, whose signal ends it. */
const callLimitMs = 4_000_000;
/** Maximum lines per call that are logged. */
const printedLinesMax = 100;

export interface OwnToolProcess {
  /** Throws StartFailed if no process can be started. */
  load(file: string): Promise<LoadedOwnTool | { fault: LoadFault }>;
  call(tool: Pick<OwnTool, "name" | "program">, call: OwnCall): Promise<ToolResult>;
  /** Ends the processes that loaded files, which frees older versions. */
  endLoading(): void;
  close(): void;
}

export interface OwnToolProcessPorts {
  command: readonly string[];
  clock: Clock;
  newId: () => string;
  /** Working directory of tools, to which their relative paths refer. */
  workspace: string;
}

/** A child process that handles one call at a time, and its state. */
interface Seat {
  mark: string;
  child: LineProcess<OwnToolRequest, OwnToolAnswer>;
  /** Hashes of the programs that the child has. */
  known: Set<string>;
  print: (text: string) => void;
}

/**
 * Runs up to four child processes for custom tools, without environment variables, each with one call at a time. A tool that never ends is
 * killed without affecting others. They start with the first call and end after one minute without calls.
 */
export function createOwnToolProcess(ports: OwnToolProcessPorts): OwnToolProcess {
  const { clock, command, newId, workspace } = ports;
  const seats: Seat[] = [];
  const free: Seat[] = [];
  const waiting: ((seat: Seat) => void)[] = [];

  const seat = (): Seat => {
    const mark = `${newId()} `;
    const made: Seat = {
      mark,
      known: new Set(),
      print: () => {},
      child: createLineProcess({
        command,
        clock,
        memory,
        lineBytesMax,
        answerIn(line) {
          const read = readChildLine(line, mark);
          if (read !== undefined && "printed" in read) made.print(read.printed);
          return read !== undefined && "answer" in read ? read.answer : undefined;
        },
      }),
    };
    return made;
  };
  const loader = seat();

  const taken = async (name: string, signal: AbortSignal): Promise<Seat> => {
    // Prefers a child that already has the program.
    const freeProcess = free.findLast(({ known }) => known.has(name)) ?? free.at(-1);
    if (freeProcess !== undefined) {
      free.splice(free.indexOf(freeProcess), 1);
      return freeProcess;
    }
    if (seats.length < processesMax) {
      const made = seat();
      seats.push(made);
      return made;
    }
    const { promise, resolve, reject } = Promise.withResolvers<Seat>();
    const onAbort = () => {
      const place = waiting.indexOf(resolve);
      if (place !== -1) waiting.splice(place, 1);
      reject(signal.reason);
    };
    waiting.push(resolve);
    signal.addEventListener("abort", onAbort);
    return promise.finally(() => signal.removeEventListener("abort", onAbort));
  };
  const given = (back: Seat) => {
    const next = waiting.shift();
    if (next === undefined) free.push(back);
    else next(back);
  };

  return {
    async load(file) {
      const request = { do: "load" as const, mark: loader.mark, workspace, file };
      try {
        return (await loader.child.ask(request, { timeLimitMs: loadLimitMs })) as
          | LoadedOwnTool
          | { fault: LoadFault };
      } catch (thrown) {
        if (thrown instanceof StartFailed) throw thrown;
        return { fault: { message: whyUnloaded(thrown) } };
      }
    },
    async call({ name, program }, { input, context, signal, log }) {
      signal.throwIfAborted();
      const mine = await taken(program.hash, signal);
      if (!mine.child.isRunning) mine.known.clear();
      mine.print = limitedPrint((text) =>
        log.info("tool.printed", { tool: name, agent: context.agent, text }),
      );
      const limits: AnswerLimits = {
        timeLimitMs: callLimitMs,
        signal,
        stop: { line: stopLine, graceMs },
      };
      const request: OwnToolRequest = {
        do: "call",
        mark: mine.mark,
        workspace,
        hash: program.hash,
        ...(mine.known.has(program.hash) ? {} : { program: program.text }),
        input,
        context: { ...context },
      };
      try {
        const reply = (await mine.child.ask(request, limits)) as CallReply;
        mine.known.add(program.hash);
        if (!("threw" in reply)) return reply;
        log.warn("tool.threw", {
          tool: name,
          agent: context.agent,
          message: reply.threw,
          stack: reply.stack,
        });
        return {
          success: false,
          error: reply.threw === "" ? `${name} failed and gave no reason.` : reply.threw,
        };
      } catch (thrown) {
        if (signal.aborted) throw signal.reason;
        log.warn("tool.ended", { tool: name, agent: context.agent, err: thrown });
        return { success: false, error: whyEnded(name, thrown) };
      } finally {
        given(mine);
      }
    },
    endLoading() {
      loader.child.close();
    },
    close() {
      for (const { child } of [loader, ...seats]) child.close();
    },
  };
}

function limitedPrint(print: (text: string) => void): (text: string) => void {
  let lines = 0;
  return (text) => {
    lines++;
    if (lines <= printedLinesMax) print(text);
    else if (lines === printedLinesMax + 1) print("further lines of this call are left out");
  };
}

function whyUnloaded(thrown: unknown): string {
  if (thrown instanceof TimeLimitPassed) return `took longer than ${loadLimitMs / 1000} seconds to load`;
  if (thrown instanceof MemoryLimitPassed) return "needed more than 512 MiB to load";
  return "ended its process while it was loaded; it must not call process.exit";
}

function whyEnded(name: string, thrown: unknown): string {
  if (thrown instanceof MemoryLimitPassed) return `${name} needed more than 512 MiB and was stopped.`;
  if (thrown instanceof StartFailed) return `${name} could not be started; try again.`;
  if (thrown instanceof LineTooLong) return `${name} returned too much.`;
  return `${name} ended its process in the middle of the call.`;
}
