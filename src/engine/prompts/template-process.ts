import { AppError, type ErrorDetails } from "../../kit/app-error.ts";
import type { Clock } from "../../kit/clock.ts";
import { inTurn } from "../../kit/in-turn.ts";
import { createLineProcess, TimeLimitPassed } from "../../kit/line-process.ts";
import type { Escaping } from "./template.ts";

/** One line to the child. */
export interface ChildRequest {
  name: string;
  source: string;
  variables: Record<string, unknown>;
  escaping: Escaping;
  /** What the template may include. */
  library?: Readonly<Record<string, string>>;
  /** Whether what is missing fails it. */
  strict?: boolean;
}

/** One line from the child. */
export type ChildAnswer = { text: string } | { code: string; message: string; details: ErrorDetails };

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
  const child = createLineProcess<ChildRequest, ChildAnswer>({ command, clock });
  const turn = inTurn();

  const render = async (request: ChildRequest, timeLimitMs: number): Promise<string> => {
    let answer: ChildAnswer;
    try {
      answer = await child.ask(request, { timeLimitMs });
    } catch (thrown) {
      throw renderFailure(request.name, thrown instanceof TimeLimitPassed ? timeLimitMs : undefined, thrown);
    }
    if ("text" in answer) return answer.text;
    throw new AppError("unprocessable", answer.code, answer.message, { details: answer.details });
  };

  return {
    render: (request, timeLimitMs) => turn(() => render(request, timeLimitMs)),
    close: child.close,
  };
}

function renderFailure(name: string, timeLimitMs: number | undefined, cause: unknown): AppError {
  const message = timeLimitMs === undefined ? "could not be rendered" : `took longer than ${timeLimitMs} ms`;
  const details = { problems: [{ path: name, message }] };
  return new AppError("unprocessable", "template_failed", `Template ${name} ${message}.`, { details, cause });
}
