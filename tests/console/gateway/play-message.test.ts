import { expect, test } from "bun:test";
import { playMessage } from "../../../src/console/gateway/phone/play-message.ts";
import type { EmulatorFaultInput } from "../../../src/contracts/gateway/admin.ts";
import type { EmulatorInboundInput } from "../../../src/contracts/gateway/emulator.ts";

const message = {
  account: { channel: "phone_messenger", external_id: "PN1" } as const,
  from: "5215550001234",
  name: "Ana",
  text: "Hello",
};

function gatewayOf(calls: (EmulatorInboundInput | EmulatorFaultInput)[]) {
  return {
    emulateInbound: async (body: EmulatorInboundInput) => {
      calls.push(body);
      return {
        encolado: true as const,
        channel_message_id: body.channel_message_id ?? `own-${calls.length}`,
      };
    },
    failEmulated: async (body: EmulatorFaultInput) => calls.push(body),
  };
}

test.each([
  ["window", "closed-window"],
  ["limit", "429"],
] as const)("the fault %s meets the answers to its own message only", async (played, fault) => {
  const calls: (EmulatorInboundInput | EmulatorFaultInput)[] = [];
  const ids = [
    await playMessage(gatewayOf(calls), message, played),
    await playMessage(gatewayOf(calls), message, played),
  ];
  expect(new Set(ids).size).toBe(2);
  expect(calls).toEqual(
    ids.flatMap((id) => [
      { canal: "phone_messenger", cuenta: "PN1", fault, channel_message_id: id },
      {
        canal: "phone_messenger",
        cuenta: "PN1",
        desde: "5215550001234",
        texto: "Hello",
        nombre: "Ana",
        channel_message_id: id,
      },
    ]),
  );
});
