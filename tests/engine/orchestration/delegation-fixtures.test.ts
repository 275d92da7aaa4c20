import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { parse } from "yaml";
import { asks, stage, told } from "../../support/staged-run.ts";

const folder = new URL("../../manifest/fixtures/", import.meta.url);

/** Returns the `spec` of a fixture without its models and the parts that this version does not support. */
function specOf(file: string): Record<string, unknown> {
  const { spec } = parse(readFileSync(new URL(file, folder), "utf8"));
  const { model: _, channels: __, ...rest } = spec;
  return { ...rest, tools: rest.tools.filter(({ type }: { type: string }) => type !== "internal") };
}

test("the front desk delegates, and tells the technician what the customer said", async () => {
  const run = stage({
    spec: specOf("supervisor.agent.yaml"),
    roles: {
      supervisor: [
        asks(
          "",
          { name: "billing", id: "b", input: { query: "Is it paid?" } },
          { name: "tech", id: "t", input: { query: "Why is it off?" } },
        ),
        "It is paid, and on again.",
      ],
    },
    agents: { "billing-agent": { calls: ["Paid."] }, "tech-agent": { calls: ["On."] } },
  });
  const { result, events } = await run.run({ query: "My line is dead." });
  expect(result?.response).toBe("It is paid, and on again.");
  expect(events.flatMap((event) => (event.type === "step" ? `${event.name}: ${event.content}` : []))).toEqual(
    ["billing: Paid.", "tech: On."],
  );
  expect(told(run.modelOf("billing-agent")).at(-1)).toBe("user: Is it paid?");
  expect(told(run.modelOf("tech-agent")).at(-1)).toBe("user: Customer says: My line is dead.");
});

test("the journey is handed over from agent to agent", async () => {
  const run = stage({
    spec: specOf("swarm-travel.agent.yaml"),
    calls: [asks("", "datetime_now", "flights"), "never"],
    agents: {
      flights: { calls: [asks("Vuelo listo.", { name: "hotels", input: { reason: "needs a room" } })] },
      hotels: { spec: { prompts: { system: "Hotels for {{ context.name }}." } }, calls: ["Hotel listo."] },
    },
  });
  const { result, events } = await run.run({ query: "A Lima", context: { name: "Ana" } });
  expect(result?.response).toBe("Vuelo listo.\n\nHotel listo.");
  expect(events.filter(({ type }) => type === "handoff")).toEqual([
    { type: "handoff", from: "staged", to: "flights" },
    { type: "handoff", from: "flights", to: "hotels", reason: "needs a room" },
  ]);
  expect(run.model.requests[0]?.messages[0]?.content).toStartWith("Hola Ana\n\n");
  expect(told(run.modelOf("hotels"))[0]).toStartWith("system: Hotels for Ana.");
});
