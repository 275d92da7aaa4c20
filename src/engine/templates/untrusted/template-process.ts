import { AppError, type ErrorDetails } from "../../../kit/app-error.ts";
import type { Clock } from "../../../kit/clock.ts";
import { fairTurns } from "../../../kit/concurrency/fair-turns.ts";
import { createLineProcess, TimeLimitPassed } from "../../../kit/process/line-process.ts";
import type { Escaping } from "../template.ts";

/** One line sent to the child. */
export interface TemplateRequest {
  name: string;
  source: string;
  variables: Record<string, unknown>;
  escaping: Escaping;
  /** Templates that may be included. */
  library?: Readonly<Record<string, string>>;
  /** True if missing values fail the template. */
  strict?: boolean;
}

/** One line received from the child. */
export type TemplateAnswer = { text: string } | { code: string; message: string; details: ErrorDetails };

export interface TemplateProcess {
  /** Renders in the child and kills it when it has computed for the time limit, which does not include its start. Owners take turns. */
  render(request: TemplateRequest, timeLimitMs: number, owner: string): Promise<string>;
  /** Ends the child; a running child keeps this process alive. */
  close(): void;
}

/**
 * Runs a child process for untrusted templates, one request at a time, without environment variables. It is a process, because terminating
 * a Bun worker leaves a busy WebAssembly loop running in about one of four cases (1.4.5).
 */
export function createTemplateProcess(command: readonly string[], clock: Clock): TemplateProcess {
  const child = createLineProcess<TemplateRequest, TemplateAnswer>({ command, clock });
  const turn = fairTurns({ placesMax: 1, ownPlacesMax: 1 });

  const render = async (request: TemplateRequest, timeLimitMs: number): Promise<string> => {
    let answer: TemplateAnswer;
    try {
      answer = await child.ask(request, { timeLimitMs, timeCounts: "cpu" });
    } catch (thrown) {
      throw renderFailure(request.name, thrown instanceof TimeLimitPassed ? timeLimitMs : undefined, thrown);
    }
    if ("text" in answer) return answer.text;
    throw new AppError("unprocessable", answer.code, answer.message, { details: answer.details });
  };

  return {
    render: (request, timeLimitMs, owner) => turn(owner, () => render(request, timeLimitMs)),
    close: child.close,
  };
}

function renderFailure(name: string, timeLimitMs: number | undefined, cause: unknown): AppError {
  const message = timeLimitMs === undefined ? "could not be rendered" : `took longer than ${timeLimitMs} ms`;
  const details = { problems: [{ path: name, message }] };
  return new AppError("unprocessable", "template_failed", `Template ${name} ${message}.`, { details, cause });
}
