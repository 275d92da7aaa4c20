import { expect, test } from "bun:test";
import { guardrailsMax, toolsMax } from "../../../../src/contracts/cloud/agents.ts";
import { atOnce } from "../../../../src/kit/concurrency/others-turn.ts";
import { configProblems, readableParts } from "../../../../src/services/cloud/agents/wizard/check-config.ts";
import { workDone } from "../../../support/work-done.ts";

const names = { tools: ["datetime_now"] };
const many = (make: (n: number) => unknown) => Array.from({ length: 100_000 }, (_, n) => make(n));
const pathsOf = (config: unknown) => atOnce(configProblems(config, names)).map(({ path }) => path);

test("items beyond the length of a list are not looked at, however many there are", () => {
  const unknown = many((n) => `${n.toString(36)}~`);
  const tools = pathsOf({ step3: { tools: unknown } });
  expect(tools[0]).toBe("step3.tools");
  expect(tools.slice(1)).toEqual(Array.from({ length: toolsMax }, (_, n) => `step3.tools[${n}]`));
  const guardrails = pathsOf({ step5: { output_guardrails: unknown } });
  expect(guardrails).toHaveLength(1 + guardrailsMax);
  const parts = readableParts({ step5: { output_guardrails: many(() => ({ type: "cost_limit" })) } }, []);
  expect(parts.step5?.output_guardrails).toHaveLength(guardrailsMax);
});

test("of two configs with faults in one pass of the event loop, the second waits", () => {
  const config = { step3: { tools: many((n) => n) } };
  workDone(configProblems(config, names));
  const second = workDone(configProblems(config, names));
  expect(second.pauses).toBeGreaterThan(0);
  expect(second.value.map(({ path }) => path)).toContain("step3.tools[0]");
});

test("each repeated tool is a fault", () => {
  expect(pathsOf({ step3: { tools: ["datetime_now", "datetime_now", "datetime_now"] } })).toEqual([
    "step3.tools[1]",
    "step3.tools[2]",
  ]);
});

test("a guardrail with a fault is not judged again, and the others keep their places", () => {
  const config = {
    step5: {
      input_guardrails: [
        { type: "max_length", max_chars: -1 },
        { type: "max_length", max_chars: 9 },
      ],
    },
  };
  const found = atOnce(configProblems(config, names));
  expect(found.map(({ path }) => path)).toEqual(["step5.input_guardrails[0].max_chars"]);
  expect(readableParts(config, found).step5?.input_guardrails).toEqual([
    "none",
    { type: "max_length", max_chars: 9 },
  ]);
});
