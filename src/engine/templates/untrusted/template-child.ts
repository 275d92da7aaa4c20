import { toAppError } from "../../../kit/app-error.ts";
import { createTemplateCompiler } from "../template-compiler.ts";
import type { TemplateAnswer, TemplateRequest } from "./template-process.ts";

/**
 * The child's side of `createTemplateProcess`: answers each request line with one JSON line until its input ends. It runs as its own
 * process, because only a process can be stopped reliably.
 */
export async function runTemplateChild(): Promise<void> {
  const compiler = createTemplateCompiler();
  compiler.renderOnce("start", "", {}, "none"); // loads the engine before the time limit of the first request starts
  process.stdout.write("\n");
  for await (const line of console) {
    process.stdout.write(`${JSON.stringify(answer(JSON.parse(line)))}\n`);
  }

  function answer({ name, source, variables, escaping, ...family }: TemplateRequest): TemplateAnswer {
    try {
      return { text: compiler.renderOnce(name, source, variables, escaping, family) };
    } catch (thrown) {
      const { code, message, details } = toAppError(thrown);
      return { code, message, details };
    }
  }
}
