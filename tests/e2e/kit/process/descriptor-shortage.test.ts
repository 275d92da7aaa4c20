import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { AppError } from "../../../../src/kit/app-error.ts";
import { DescriptorWatch, descriptorShortage } from "../../../../src/kit/process/descriptor-shortage.ts";

const withCode = (code: string, cause?: unknown) => Object.assign(new Error("x", { cause }), { code });
const canOpen = () => true;
const cannotOpen = () => false;

describe("a shortage of file descriptors", () => {
  test.each(["EMFILE", "ENFILE"])("%s is one, also as a cause", (code) => {
    const told = { kind: "unavailable", code: "out_of_file_descriptors" };
    expect(descriptorShortage(withCode(code), canOpen)).toMatchObject(told);
    expect(descriptorShortage(withCode("X", withCode(code)), canOpen)).toMatchObject(told);
  });

  test.each(["ECONNREFUSED", "ENOTFOUND", "SQLITE_CANTOPEN", "ERR_POSTGRES_CONNECTION_REFUSED"])(
    "%s is one only where nothing more can be opened",
    (code) => {
      expect(descriptorShortage(withCode(code), canOpen)).toBeUndefined();
      expect(descriptorShortage(withCode(code), cannotOpen)).toBeInstanceOf(AppError);
    },
  );

  test("anything else is none", () => {
    for (const thrown of [withCode("ECONNRESET"), new Error("x"), undefined, null, "EMFILE", 7])
      expect(descriptorShortage(thrown, cannotOpen)).toBeUndefined();
  });

  test("an error that is its own cause is looked at once", () => {
    const round = withCode("X");
    round.cause = round;
    expect(descriptorShortage(round, cannotOpen)).toBeUndefined();
  });
});

test.skipIf(process.platform !== "linux")(
  "a call that finds no descriptor left names the limit",
  async () => {
    const script = join(import.meta.dir, "without-descriptors.ts");
    const child = Bun.spawn(["sh", "-c", 'ulimit -n 64; exec "$0" "$1"', process.execPath, script], {
      stdout: "pipe",
      stderr: "inherit",
    });
    const told = JSON.parse(await new Response(child.stdout).text());
    expect(told).toEqual({
      model: "out_of_file_descriptors",
      countsAgainstProvider: false,
      network: "out_of_file_descriptors",
      database: "out_of_file_descriptors",
      request: 503,
      doctor: "failing",
      afterwards: "ECONNREFUSED",
    });
  },
);

test("whether a file can be opened is looked up again after 20 ms", () => {
  let [nowMs, looks, isShort] = [0, 0, false];
  const watch = new DescriptorWatch({ monotonicMs: () => nowMs }, () => {
    looks++;
    return !isShort;
  });
  const told = [watch.isShort, watch.isShort];
  isShort = true;
  nowMs = 19;
  told.push(watch.isShort);
  nowMs = 20;
  told.push(watch.isShort, watch.isShort);
  isShort = false;
  nowMs = 40;
  told.push(watch.isShort);
  expect({ told, looks }).toEqual({ told: [false, false, false, true, true, false], looks: 3 });
});
