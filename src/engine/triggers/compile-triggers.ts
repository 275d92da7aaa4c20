import { AppError, type Problem } from "../../kit/app-error.ts";
import { type OffsetAt, offsetIn } from "../../kit/cron/next-instant.ts";
import { type CronPattern, parseCron } from "../../kit/cron/parse-cron.ts";
import type { AgentManifest } from "../../manifest/agent/agent.ts";
import type { TriggerEntry } from "../../manifest/agent/triggers.ts";
import { collectProblems, invalidManifest } from "../../manifest/fault.ts";
import type { TemplateEngine, TextTemplate } from "../templates/template.ts";

/** Variables of a trigger's templates. */
export interface FireFacts {
  trigger: {
    name: string;
    type: TriggerEntry["type"];
    /** ISO 8601: when it was due. */
    at: string;
    /** Who fired it: the event itself, or a person by hand. */
    by: "event" | "person";
  };
  /** What the event brought. */
  payload: unknown;
}

/** What a fire asks the agent. */
export interface FiredQuestion {
  query: string;
  /** Absent: a session of its own. */
  sessionId?: string;
}

/** An entry of `spec.triggers` with compiled templates. */
export interface Trigger {
  declared: TriggerEntry;
  /** Present for `schedule`. */
  schedule?: { pattern: CronPattern; offsetAt: OffsetAt };
  /** Throws AppError `template_failed` that names the missing field, or what is wrong with the text. */
  ask(facts: FireFacts): Promise<FiredQuestion>;
}

/** Compiles the triggers of an agent. Throws AppError `invalid_manifest` with every faulty template. */
export function compileTriggers(
  engine: TemplateEngine,
  { spec }: AgentManifest,
): ReadonlyMap<string, Trigger> {
  const problems: Problem[] = [];
  const library = {};
  const triggers = new Map<string, Trigger>();
  for (const [index, declared] of (spec.triggers ?? []).entries()) {
    const compile = (key: "query" | "session_id", source: string | undefined) =>
      source === undefined
        ? undefined
        : collectProblems(problems, () =>
            engine.compile(`spec.triggers[${index}].${key}`, source, library, { strict: true }),
          );
    const query = compile("query", declared.query);
    const session = compile("session_id", declared.session_id);
    if (query === undefined) continue;
    triggers.set(declared.name, {
      declared,
      ...scheduleOf(declared),
      ask: (facts) => ask(facts, query, session),
    });
  }
  if (problems.length > 0) throw invalidManifest(problems);
  return triggers;
}

function scheduleOf(declared: TriggerEntry): Pick<Trigger, "schedule"> {
  if (declared.type !== "schedule") return {};
  const pattern = parseCron(declared.cron);
  const offsetAt = offsetIn(declared.timezone);
  // The manifest's rules refuse both.
  if ("fault" in pattern || offsetAt === undefined) throw new Error("The schedule was not checked.");
  return { schedule: { pattern, offsetAt } };
}

async function ask(
  facts: FireFacts,
  query: TextTemplate,
  session: TextTemplate | undefined,
): Promise<FiredQuestion> {
  const queryText = await query.render({ ...facts });
  if (queryText.trim() === "") throw templateFailed(facts, "query renders to nothing to ask");
  if (session === undefined) return { query: queryText };
  const sessionId = (await session.render({ ...facts })).trim();
  if (sessionId === "" || sessionId.length > 255)
    throw templateFailed(facts, "session_id must render to 1 to 255 characters");
  return { query: queryText, sessionId };
}

const templateFailed = ({ trigger }: FireFacts, fault: string) =>
  new AppError("unprocessable", "template_failed", `Trigger ${trigger.name}: ${fault}.`);
