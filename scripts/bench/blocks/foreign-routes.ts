import { fields } from "../attack/hostile-specs.ts";
import { expectOk, type RouteRow, type World } from "./route-row.ts";
import { agentOf } from "./wide-specs.ts";

/** Runs of the daemon whose model and tool are servers of an attacker, one run at a time and ten. */
export async function foreignRoutes({ askOf, hostile }: World): Promise<RouteRow[]> {
  const v1 = askOf("daemon", "/v1");
  const tool = {
    name: "t0",
    type: "webhook",
    description: "d",
    config: { url: `${hostile}/tool`, method: "POST" },
    parameters: { type: "object" },
  };
  const shaped = { output_schema: fields(299, { type: "string", minLength: 1 }) };
  const redacted = { guardrails: { output: [{ type: "pii_detection", action: "redact" }] } };
  const specs: [answer: string, spec: object][] = [
    ...["fields", "lists", "objects", "fences"].map((answer): [string, object] => [answer, shaped]),
    ["junk", redacted],
    ["long", redacted],
    ["tool-lists", { tools: [tool] }],
    ["tool-objects", { tools: [tool] }],
  ];
  return specs.flatMap(([answer, spec]) =>
    [1, 10].map((times): RouteRow => {
      const name = `foreign-${answer}-${times}`;
      const primary = { provider: "vllm", model: answer, endpoint: `${hostile}/${name}/v1` };
      return {
        name: `foreign: daemon run on an answer of ${answer}${times === 1 ? "" : `, ${times} at once`}`,
        before: () =>
          expectOk(v1("POST", "/agents", { body: agentOf(name, { ...spec, model: { primary } }) })),
        ask: () => v1("POST", `/agents/${name}/run`, { body: { query: "hi" }, times }),
      };
    }),
  );
}
