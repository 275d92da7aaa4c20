import { expect, test } from "bun:test";
import { recorded, replayed, rerecorded } from "../../support/cassettes.ts";
import { asks, says, stage } from "../../support/staged-run.ts";

test("x", async () => {
  const s = stage({
    calls: [
      asks(
        "Let me see.",
        { name: "look", input: { at: "sky" } },
        { name: "look", input: { at: "sea" }, id: "c7" },
      ),
      says("It ", "is ", "blue."),
    ],
    tools: [{ name: "look", execute: async ({ at }) => ({ success: true, data: { at, seen: "blue" } }) }],
    spec: { prompts: { system: "Today is {{ current_date }}." } },
  });
  const run = await recorded(s, { query: "What colour?" });
  console.log(run.text);
  expect(await replayed(run.cassette)).toMatchObject({ identical: true });
  const again = await rerecorded(run.cassette);
  console.log(JSON.stringify(again.report));
});
