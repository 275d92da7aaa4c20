import type { Clock } from "../../../kit/clock.ts";
import { plainData } from "../plain-data.ts";
import type { TemplateEngine } from "../template.ts";
import { createTemplateCompiler } from "../template-compiler.ts";
import { templateLimit } from "../template-fault.ts";
import { createTemplateProcess } from "../untrusted/template-process.ts";

export interface MinijinjaEngineOptions {
  clock: Clock;
  /** Command that starts `runTemplateChild` in its own process: the executable with its hidden command, or bun with the file. */
  childCommand: readonly string[];
}

const UNTRUSTED_LIMIT_MS = 100;

/** Owner of all that is rendered. */
const operator = "";

/** Creates a Jinja2 engine with minijinja; docs/templates.md lists the differences from Python's. */
export function createMinijinjaEngine({ clock, childCommand }: MinijinjaEngineOptions): TemplateEngine {
  const compiler = createTemplateCompiler();
  const child = createTemplateProcess(childCommand, clock);
  return {
    compile: compiler.compile,
    async renderUntrusted(source, variables, { timeLimitMs = UNTRUSTED_LIMIT_MS, escaping = "none" } = {}) {
      const name = "template";
      try {
        const plain = plainData(variables) as Record<string, unknown>;
        return await child.render({ name, source, variables: plain, escaping }, timeLimitMs, operator);
      } catch (thrown) {
        throw thrown instanceof RangeError ? templateLimit(name, thrown.message) : thrown;
      }
    },
    close: child.close,
  };
}
