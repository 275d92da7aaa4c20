import { describe, expect, test } from "bun:test";
import type { RunEvent } from "../../../../../src/engine/run-state/run-event.ts";
import { AppError } from "../../../../../src/kit/app-error.ts";
import { MessageSigner } from "../../../../../src/mesh/message-signature.ts";
import { LineReader, LineWriter } from "../../../../../src/services/daemon/mesh/hop/run-lines.ts";
import { FakeClock } from "../../../../support/fake-clock.ts";

const signer = (secret = "mesh-secret-of-at-least-32-bytes-!") => new MessageSigner(secret, new FakeClock());
const token = (content: string): RunEvent => ({ type: "token", content });
const bytes = (text: string) => new TextEncoder().encode(text);
const read = (text: string, mac = "run-1", by = signer()) => new LineReader(by, mac).push(bytes(text));

test("events and errors arrive unchanged, in any pieces", () => {
  const writer = new LineWriter(signer(), "run-1");
  const error = new AppError("payment_required", "budget_exceeded", "Die Grenze ist erreicht: 5 €.", {
    details: { hint: "Wait.", facts: { trace_id: "t1" } },
    cause: new Error("a secret"),
  });
  const text = `\n${writer.events([token("Hel"), token("lo")])}\n${writer.events([token("!")])}${writer.error(error)}`;
  expect(text).not.toContain("a secret");
  const reader = new LineReader(signer(), "run-1");
  const lines = [...bytes(text)].flatMap((byte) => reader.push(Uint8Array.of(byte)));
  const { kind, code, message, details } = error;
  expect(lines).toEqual([
    [token("Hel"), token("lo")],
    [token("!")],
    { error: { kind, code, message, details } },
  ]);
});

describe("a line is refused", () => {
  const writer = new LineWriter(signer(), "run-1");
  const [first, second] = [writer.events([token("a")]), writer.events([token("b")])];
  test.each<[string, () => unknown]>([
    ["if it was changed", () => read(first.replace('"a"', '"x"'))],
    ["if it comes out of order", () => read(second + first)],
    ["if it comes twice", () => read(first + first)],
    ["if it answers another run", () => read(first, "run-2")],
    ["if a stranger wrote it", () => read(first, "run-1", signer("x".repeat(40)))],
    ["without a signature", () => read('[{"type":"token","content":"a"}]\n')],
  ])("%s", (_, read) => {
    expect(read).toThrow("does not come from a node of this mesh");
  });
});
