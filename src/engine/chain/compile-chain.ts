import { AppError, type Problem } from "../../kit/app-error.ts";
import type { AgentManifest } from "../../manifest/agent/agent.ts";
import { collectProblems, invalidManifest } from "../../manifest/fault.ts";
import type { TemplateEngine } from "../templates/template.ts";
import type { Chain, Link } from "./chain.ts";

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
    const holds = collectProblems(problems, () =>
      compileCondition(engine, `${path}.when`, declared.when, library),
    );
    const input = collectProblems(problems, () =>
      compileInput(engine, `${path}.input`, declared.input, library),
    );
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
  const requireText = (text: string) => {
    if (text.trim() !== "") return text;
    throw new AppError("unprocessable", "template_failed", `Template ${path} renders to nothing to ask.`);
  };
  return (facts, held) => {
    const text = template.render({ ...facts, when: held });
    return typeof text === "string" ? requireText(text) : text.then(requireText);
  };
}

/** Texts that count as false; every other text counts as true. */
const falseTexts = new Set(["", "false", "0", "0.0", "none", "null", "no", "off", "[]", "{}"]);
const trueTexts = new Set(["true", "1", "yes", "on"]);

/**
 * Compiles a condition: a template, or an expression without its braces; undefined without a condition. It is false if it renders to one of
 * `falseTexts`, ignoring case and surrounding spaces. Throws AppError `template_invalid`.
 */
export function compileCondition(
  engine: TemplateEngine,
  path: string,
  source: string | undefined,
  library: Readonly<Record<string, string>> = {},
): Link["holds"] {
  if (source === undefined) return undefined;
  const template = engine.compile(path, isExpression(source) ? `{{ ${source} }}` : source, library, {
    strict: true,
  });
  return (facts) => {
    const text = template.render({ ...facts });
    return typeof text === "string" ? !isFalse(text) : text.then((late) => !isFalse(late));
  };
}

/** Returns true if the source is an expression. Text without tags is an expression unless it is a literal yes or no. */
function isExpression(source: string): boolean {
  const word = source.trim().toLowerCase();
  return !/\{[{%#]/.test(source) && !falseTexts.has(word) && !trueTexts.has(word);
}

function isFalse(text: string): boolean {
  return falseTexts.has(text.trim().toLowerCase());
}
