import { AppError, type Problem } from "../../kit/app-error.ts";
import type { AgentManifest } from "../../manifest/agent/agent.ts";
import { invalidManifest } from "../../manifest/fault.ts";
import type { TemplateEngine } from "../prompts/template.ts";
import type { Chain, Link } from "./chain.ts";
import { compileCondition } from "./compile-condition.ts";

type Section = NonNullable<AgentManifest["spec"]["chain"]>;
type DeclaredLink = Section["on_complete"][number];

/** Compiles the chain of an agent; undefined if it has none. Throws AppError `invalid_manifest` with every faulty template. */
export function compileChain(engine: TemplateEngine, { spec }: AgentManifest): Chain | undefined {
  if (spec.chain === undefined) return undefined;
  const { mode, max_depth, on_complete } = spec.chain;
  const problems: Problem[] = [];
  // One object, because the engine's size limit and cache apply to all templates with the same library object.
  const library = {};
  const links = on_complete.flatMap((declared, index) => {
    const path = `spec.chain.on_complete[${index}]`;
    const holds = collect(problems, () => compileCondition(engine, `${path}.when`, declared.when, library));
    const input = collect(problems, () => compileInput(engine, `${path}.input`, declared.input, library));
    return link(declared, holds, input);
  });
  if (problems.length > 0) throw invalidManifest(problems);
  return { mode, depthMax: max_depth, links };
}

function link(declared: DeclaredLink, holds: Link["holds"], input: Link["input"]): Link {
  const { agent, retry, timeout_seconds, on_error } = declared;
  return {
    agent,
    holds,
    input,
    isDefault: declared.default,
    attemptsMax: retry.max_attempts,
    backoffMs: retry.backoff * 1000,
    timeoutMs: timeout_seconds === undefined ? undefined : timeout_seconds * 1000,
    onError: on_error === "stop" || on_error === "continue" ? on_error : { standIn: on_error },
  };
}

function compileInput(
  engine: TemplateEngine,
  path: string,
  source: string | undefined,
  library: Readonly<Record<string, string>>,
): Link["input"] {
  if (source === undefined) return undefined;
  const template = engine.compile(path, source, library, { strict: true });
  const asked = (text: string) => {
    if (text.trim() !== "") return text;
    throw new AppError("unprocessable", "template_failed", `Template ${path} renders to nothing to ask.`);
  };
  return (facts, held) => {
    const text = template.render({ ...facts, when: held });
    return typeof text === "string" ? asked(text) : text.then(asked);
  };
}

/** Adds the problems of a template to the others. */
function collect<T>(problems: Problem[], compile: () => T): T | undefined {
  try {
    return compile();
  } catch (thrown) {
    if (!(thrown instanceof AppError) || thrown.details.problems === undefined) throw thrown;
    problems.push(...thrown.details.problems);
    return undefined;
  }
}
