import { expect, test } from "bun:test";
import { plainReason } from "../../../src/console/gateway/outbox/plain-reason.ts";

test.each([
  [
    "131047: Re-engagement message",
    "The user wrote more than 24 hours ago.",
    "131047: Re-engagement message",
  ],
  ["429: Emulated limit.", "The provider asked to wait.", "429: Emulated limit."],
  ["expired", "It could not be sent within 24 hours.", undefined],
  ["outcome_unknown", "The provider may or may not have accepted it.", undefined],
] as const)("%s has a plain reason", (error, text, detail) => {
  const reason = plainReason(error);
  expect(reason.text).toBe(text);
  expect(reason.detail).toBe(detail as string);
});

test.each(["99999: Something new", "constructor", "toString: x", "", "a\nb: c"])(
  "%j is shown as it is",
  (error) => {
    expect(plainReason(error)).toEqual({ text: error });
  },
);
