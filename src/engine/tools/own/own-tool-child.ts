import { Console } from "node:console";
import { Writable } from "node:stream";
import { inspect } from "node:util";
import { dieWithParent } from "../../../kit/process/die-with-parent.ts";
import { importProgram, loadOwnTool } from "./load-own-tool.ts";
import {
  answerLine,
  type CallReply,
  type OwnToolAnswer,
  type OwnToolRequest,
  printedLine,
} from "./own-tool-lines.ts";

const answerBytesMax = 5 * 1024 * 1024;
const printedCharsMax = 2000;
const reasonCharsMax = 4000;

type Execute = (input: unknown, context: unknown) => unknown;

/**
 * The child's side of `createOwnToolProcess`: loads custom tools and runs them, one call at a time, until its input or its parent ends. It
 * runs as its own process, because only killing a process stops code that doesn't end by itself.
 */
export async function runOwnToolChild(): Promise<void> {
  dieWithParent();
  const write = process.stdout.write.bind(process.stdout);
  const lines = console;
  let mark = "";
  const print = (text: string) => void write(printedLine(mark, text.trimEnd().slice(0, printedCharsMax)));
  takeOutput(print);
  const programs = new Map<string, Promise<Execute>>();
  let current: AbortController | undefined;

  const work = async (request: OwnToolRequest): Promise<OwnToolAnswer> => {
    if (request.do === "load") return loadOwnTool(request.file);
    const { hash, program, input, context } = request;
    if (program !== undefined) programs.set(hash, executeOf(program));
    const stopped = new AbortController();
    current = stopped;
    try {
      const execute = await programs.get(hash);
      return readResult(await execute?.(input, { ...context, signal: stopped.signal }));
    } catch (thrown) {
      return thrownReply(thrown);
    }
  };
  const answer = async (request: OwnToolRequest) => {
    const given = await work(request);
    current = undefined;
    write(answerLine(mark, given));
  };

  write("\n");
  for await (const line of lines) {
    const request: OwnToolRequest | { do: "stop" } = JSON.parse(line);
    if (request.do === "stop") current?.abort(new DOMException("The call was stopped.", "AbortError"));
    else {
      mark = request.mark;
      // Changes the folder only now: a process started in it would have read its .env and bunfig.toml.
      process.chdir(request.workspace);
      void answer(request);
    }
  }
  process.exit(0);
}

async function executeOf(program: string): Promise<Execute> {
  const tool = (await importProgram(program)) as { execute: Execute };
  return (input, context) => tool.execute(input, context);
}

/** Redirects a tool's output to the log, and prevents unhandled errors from ending the process. */
function takeOutput(print: (text: string) => void): void {
  const sink = () =>
    new Writable({
      decodeStrings: false,
      write(chunk, _encoding, done) {
        print(String(chunk));
        done();
      },
    });
  Object.assign(globalThis, { console: new Console({ stdout: sink(), stderr: sink() }) });
  const printed = (chunk: unknown, ...rest: unknown[]) => {
    print(chunk instanceof Uint8Array ? new TextDecoder().decode(chunk) : String(chunk));
    const done = rest.at(-1);
    if (typeof done === "function") done();
    return true;
  };
  process.stdout.write = printed;
  process.stderr.write = printed;
  process.on("uncaughtException", (thrown) => print(`Uncaught: ${thrown.stack ?? thrown.message}`));
  process.on("unhandledRejection", (thrown) =>
    print(
      `Unhandled rejection: ${thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)}`,
    ),
  );
}

function readResult(result: unknown): CallReply {
  const given: Record<string, unknown> = typeof result === "object" && result !== null ? { ...result } : {};
  const { success, data = null, error = data } = given;
  if (success === false) {
    const reason = typeof error === "string" ? error.trim() : error === null ? "" : inspect(error);
    return { success, error: reason.slice(0, reasonCharsMax) || "The tool failed and gave no reason." };
  }
  if (success !== true) {
    return {
      success: false,
      error: "The tool returned neither {success: true, data} nor {success: false, error}.",
    };
  }
  let text: string | undefined;
  try {
    text = JSON.stringify(data);
  } catch {
    // A cycle, a bigint, or a toJSON that throws.
  }
  if (text === undefined) return { success: false, error: "The tool returned data that is not JSON." };
  const bytes = Buffer.byteLength(text);
  if (bytes <= answerBytesMax) return { success, data };
  return { success: false, error: `The tool returned ${bytes} bytes; ${answerBytesMax} is the limit.` };
}

function thrownReply(thrown: unknown): CallReply {
  if (!(thrown instanceof Error)) return { threw: String(thrown).slice(0, printedCharsMax), stack: "" };
  const { message, stack = "" } = thrown;
  return { threw: message.slice(0, printedCharsMax), stack: stack.slice(0, printedCharsMax) };
}
