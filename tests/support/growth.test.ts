import { expect, test } from "bun:test";
import { growth } from "./growth.ts";

const text = (times: number) => "a".repeat(times);

test("what is linear grows with its text, what is quadratic grows faster", () => {
  const linear = (given: string) => {
    let sum = 0;
    for (let round = 0; round < 40; round++)
      for (let at = 0; at < given.length; at++) sum += given.charCodeAt(at);
    return sum;
  };
  const quadratic = (given: string) => {
    let sum = 0;
    for (let at = 0; at < given.length; at++) for (let to = 0; to < at; to++) sum += given.charCodeAt(to);
    return sum;
  };
  expect(growth(text, linear, 20_000)).toBeLessThan(3);
  expect(growth(text, quadratic, 2_000)).toBeGreaterThan(3);
});
