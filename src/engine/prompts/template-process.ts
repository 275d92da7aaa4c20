import { AppError, type ErrorDetails } from "../../kit/app-error.ts";
import type { Clock } from "../../kit/clock.ts";
import type { Escaping } from "./template.ts";

/** One line to the child. */
export interface ChildRequest {
  name: string;
  source: string;
  variables: Record<string, unknown>;
  escaping: Escaping;
}

/** One line from the child. */
export type ChildAnswer = { text: string } | { code: string; message: string; details: ErrorDetails };

const START_LIMIT_MS = 10_000;
/** A child nobody asks is ended after this time. */
const IDLE_LIMIT_MS = 60_000;

export interface TemplateProcess {
  /** Renders in the child, which is killed when it takes longer; its start isn't counted. */
  render(request: ChildRequest, timeLimitMs: number): Promise<string>;
  /** Ends the child; one that runs keeps this process alive. */
  close(): void;
}

/**
 * Keeps one child process for templates of people we don't trust, one request at a time, without any environment.
 * A process, because ending a Bun worker leaves a busy WebAssembly loop running in about one of four cases (1.4.5).
 */
export function createTemplateProcess(command: readonly string[], clock: Clock): TemplateProcess {
  let child: Child | undefined;
  let last: Promise<unknown> = Promise.resolve();
  let cancelIdle = () => {};

  const stop = () => {
    cancelIdle();
    child?.kill();
    child = undefined;
  };

  const render = async (request: ChildRequest, timeLimitMs: number): Promise<string> => {
    cancelIdle();
    try {
      child ??= await startChild(command, clock);
      const answer: ChildAnswer = JSON.parse(await child.ask(JSON.stringify(request), timeLimitMs));
      cancelIdle = clock.timer(IDLE_LIMIT_MS, stop);
      if ("text" in answer) return answer.text;
      throw new AppError("unprocessable", answer.code, answer.message, { details: answer.details });
    } catch (thrown) {
      if (thrown instanceof AppError) throw thrown;
      stop();
      throw renderFailure(request.name, thrown instanceof TimeLimitPassed ? timeLimitMs : undefined, thrown);
    }
  };

  return {
    render(request, timeLimitMs) {
      const result = last.then(() => render(request, timeLimitMs));
      last = result.catch(() => {});
      return result;
    },
    close: stop,
  };
}

class TimeLimitPassed extends Error {}

function renderFailure(name: string, timeLimitMs: number | undefined, cause: unknown): AppError {
  const message = timeLimitMs === undefined ? "could not be rendered" : `took longer than ${timeLimitMs} ms`;
  const details = { problems: [{ path: name, message }] };
  return new AppError("unprocessable", "template_failed", `Template ${name} ${message}.`, { details, cause });
}

interface Child {
  ask(line: string, timeLimitMs: number): Promise<string>;
  kill(): void;
}

async function startChild(command: readonly string[], clock: Clock): Promise<Child> {
  const child = Bun.spawn([...command], {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "ignore",
    env: {},
    cwd: "/",
  });
  const lines = linesOf(child.stdout);

  const nextLine = async (timeLimitMs: number): Promise<string> => {
    const { promise: late, reject } = Promise.withResolvers<never>();
    const cancel = clock.timer(timeLimitMs, () => reject(new TimeLimitPassed()));
    try {
      const { value, done } = await Promise.race([lines.next(), late]);
      if (done) throw new Error("the child ended");
      return value;
    } finally {
      cancel();
    }
  };

  const kill = () => child.kill("SIGKILL");
  try {
    await nextLine(START_LIMIT_MS);
  } catch (thrown) {
    kill();
    throw thrown;
  }
  return {
    ask(line, timeLimitMs) {
      child.stdin.write(`${line}\n`);
      child.stdin.flush();
      return nextLine(timeLimitMs);
    },
    kill,
  };
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  let rest = "";
  const decoder = new TextDecoder();
  for await (const bytes of stream) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
}
