import { expect, test } from "bun:test";
import { uploadTexts } from "../../../src/console/texts/documents.ts";
import { contextTexts, memoryTexts, sessionTexts } from "../../../src/console/texts/studio/resources.ts";

test.each([
  [2, 0, 2, "2 files uploaded"],
  [1, 0, 1, "1 file uploaded"],
  [1, 0, 3, "1 of 3 files uploaded"],
  [1, 1, 2, "1 of 2 files uploaded, 1 failed"],
  [0, 1, 1, "0 of 1 file uploaded, 1 failed"],
])("uploads: %p done and %p failed of %p", (done, failed, all, text) => {
  expect(uploadTexts.summary(done, failed, all)).toBe(text);
});

test("one thing is never in the plural", () => {
  expect(sessionTexts.forgotten(1, 2, 0)).toBe("Deleted 1 message, 2 texts and 0 episodes.");
  expect(memoryTexts.forgotUser(1, 1)).toBe("Deleted 1 text and 1 episode.");
  expect(contextTexts.leftOutByWindow(1)).toBe("The model's context window has no room for 1 message.");
});
