import { expect, test } from "bun:test";
import { sizeText } from "../../../src/cli/terminal/size-text.ts";

test.each([
  [0, "0 B"],
  [512, "512 B"],
  [1023, "1023 B"],
  [1024, "1.0 KiB"],
  [39_049, "38.1 KiB"],
  [1024 ** 2 - 1, "1.0 MiB"],
  [2.5 * 1024 ** 3, "2.5 GiB"],
  [5000 * 1024 ** 4, "5000.0 TiB"],
  [-1536, "-1.5 KiB"],
])("%d bytes read %s", (bytes, text) => {
  expect(sizeText(bytes)).toBe(text);
});
