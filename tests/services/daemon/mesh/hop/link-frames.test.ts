import { expect, test } from "bun:test";
import { FrameBundle, framesOf, frameText } from "../../../../../src/services/daemon/mesh/hop/link-frames.ts";

test("a frame arrives with all lines of its text", () => {
  const text = `${JSON.stringify([{ content: "a\nb\u001e\u2028" }])}\n{"trace":1}\n`;
  expect(framesOf(frameText("whole", 12, "seal", text))).toEqual([
    { kind: "whole", number: 12, seal: "seal", text },
  ]);
  expect(framesOf(frameText("gone", 3))).toEqual([{ kind: "gone", number: 3, seal: "", text: "" }]);
});

test("frames of one turn are one message, in their order", async () => {
  const messages: string[] = [];
  const bundle = new FrameBundle((message) => messages.push(message));
  bundle.add(frameText("lines", 1, "", "\n"));
  bundle.add(frameText("end", 1));
  expect(messages).toEqual([]);
  await new Promise(setImmediate);
  expect(messages.map(framesOf)).toEqual([
    [
      { kind: "lines", number: 1, seal: "", text: "\n" },
      { kind: "end", number: 1, seal: "", text: "" },
    ],
  ]);
});

test("long frames don't wait for the end of the turn", () => {
  const messages: string[] = [];
  const bundle = new FrameBundle((message) => messages.push(message));
  bundle.add(frameText("lines", 1, "", "a"));
  bundle.add(frameText("lines", 1, "", "b".repeat(70_000)));
  expect(messages).toHaveLength(1);
  bundle.flush();
  expect(messages).toHaveLength(1);
});
