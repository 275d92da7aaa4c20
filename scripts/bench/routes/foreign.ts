import { agentOf, fields } from "../hostile.ts";
import { expectOk, posts, type RouteRow, type World } from "./route-row.ts";

/** Runs of the daemon whose model and tool are servers of an attacker, one run at a time and ten. */
export async function foreignRoutes({ askOf, hostile }: World): Promise<RouteRow[]> {
  const v1 = askOf("daemon", "/v1");
  const config = { url: `${hostile}/tool`, method: "POST" };
  const tool = { name: "t0", type: "webhook", description: "d", config, parameters: { type: "object" } };
  const shaped = { output_schema: fields(299, { type: "string", minLength: 1 }) };
  const redacted = { guardrails: { output: [{ type: "pii_detection", action: "redact" }] } };
  const specs: Record<string, object> = {
    fields: shaped,
    lists: shaped,
    objects: shaped,
    fences: shaped,
    junk: redacted,
    long: redacted,
    "tool-lists": { tools: [tool] },
    "tool-objects": { tools: [tool] },
  };
  return Object.entries(specs).flatMap(([answer, spec]) =>
    [1, 10].map((times) => {
      const name = `foreign-${answer}-${times}`;
      const primary = { provider: "vllm", model: answer, endpoint: `${hostile}/${name}/v1` };
      const body = agentOf(name, { ...spec, model: { primary } });
      return posts(
        `foreign: daemon run on an answer of ${answer}, ${times} at once`,
        v1,
        `/agents/${name}/run`,
        { query: "hi" },
        {
          times,
          before: () => expectOk(v1("POST", "/agents", { body })),
        },
      );
    }),
  );
}
