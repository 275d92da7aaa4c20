import { expect, test } from "bun:test";
import { startGatewayProgram } from "../../support/gateway-program.ts";
import { socketTurns } from "../../support/socket-turns.ts";

test("a customer's message gets the agent's answer once, though the provider delivers it twice", async () => {
  const customer = "5215550002222";
  await using gateway = await startGatewayProgram(() => ({ text: "We open at nine." }));
  await gateway.setUp({});
  expect(await gateway.deliver("wamid.1", customer, "When do you open?")).toBe(200);
  expect(await gateway.deliver("wamid.1", customer, "When do you open?")).toBe(200);
  while (gateway.textsTo(customer).length === 0) await socketTurns(4);
  expect(gateway.textsTo(customer)).toEqual(["We open at nine."]);
  const { entries } = (await gateway.admin("/admin/outbox")) as { entries: { recipient: string }[] };
  expect(entries.map(({ recipient }) => recipient)).toEqual([customer]);
});
