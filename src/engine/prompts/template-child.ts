import { toAppError } from "../../kit/app-error.ts";
import { createTemplateCompiler } from "./template-compiler.ts";
import type { ChildAnswer, ChildRequest } from "./template-process.ts";

/**
 * The other side of `createTemplateProcess`: answers one JSON line per request line until its input ends.
 * Started as a process of its own, because only a process can be stopped for certain.
 */
export async function runTemplateChild(): Promise<void> {
  const compiler = createTemplateCompiler();
  compiler.renderOnce("start", "", {}, "none"); // loads the engine before the first request's time runs
  process.stdout.write("\n");
  for await (const line of console) {
    process.stdout.write(`${JSON.stringify(answer(JSON.parse(line)))}\n`);
  }

  function answer({ name, source, variables, escaping, ...family }: ChildRequest): ChildAnswer {
    try {
      return { text: compiler.renderOnce(name, source, variables, escaping, family) };
    } catch (thrown) {
      const { code, message, details } = toAppError(thrown);
      return { code, message, details };
    }
  }
}
