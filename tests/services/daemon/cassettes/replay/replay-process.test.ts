import { afterEach, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { childCommand } from "../../../../../src/compose/child-command.ts";
import { type Clock, systemClock } from "../../../../../src/kit/clock.ts";
import {
  createReplayProcess,
  type ReplayProcess,
} from "../../../../../src/services/daemon/cassettes/replay/replay-process.ts";
import { FakeClock } from "../../../../support/fake-clock.ts";
import { temporaryFolder } from "../../../../support/temp-folder.ts";

const opened: ReplayProcess[] = [];
afterEach(() => {
  for (const process of opened.splice(0)) process.close();
});

/** Starts a child that reports that it is ready and then runs `answer` for each line. */
function open(answer: string, clock: Clock = systemClock): ReplayProcess {
  const program = `process.stdout.write("\\n"); for await (const line of console) { ${answer} }`;
  const made = createReplayProcess([process.execPath, "-e", program], clock);
  opened.push(made);
  return made;
}

const options = { strict: false, signal: new AbortController().signal, owner: "a" };
const failure = (replay: Promise<unknown>) =>
  replay.then(
    () => undefined,
    (thrown) => thrown,
  );

test("a replay that never ends is stopped, and says so", async () => {
  const clock = new FakeClock();
  const replays = open(`if (line.includes("quick")) console.log('{"report": 1}'); else for (;;);`, clock);
  expect(await replays.replay({ cassette: "quick" }, options)).toBe(1 as never);
  const late = failure(replays.replay({ cassette: "slow" }, options));
  // The request is sent once the queued tasks have begun.
  await Promise.resolve();
  await clock.advance(30_000);
  expect(await late).toMatchObject({
    kind: "unprocessable",
    code: "replay_too_large",
    message: "The replay took longer than 30 seconds and was stopped.",
  });
});

test("a caller who leaves ends the child", async () => {
  const replays = open("for (;;);");
  const call = new AbortController();
  const left = failure(replays.replay({ cassette: "slow" }, { ...options, signal: call.signal }));
  const reason = new Error("gone");
  call.abort(reason);
  expect(await left).toBe(reason);
});

test("a child that ends is an error to try again", async () => {
  const replays = open("process.exit(3);");
  expect(await failure(replays.replay({ cassette: "x" }, options))).toMatchObject({
    kind: "unavailable",
    code: "replay_unavailable",
  });
});

test("the program's own child checks what it replays", async () => {
  const replays = createReplayProcess(childCommand("replay-child"), systemClock);
  opened.push(replays);
  expect(await failure(replays.replay({ cassette: { version: 1 } }, options))).toMatchObject({
    kind: "invalid",
    code: "invalid_cassette",
  });
  using folder = temporaryFolder();
  const path = join(folder.path, "run.cassette.json");
  writeFileSync(path, '{"version": 1, "entr');
  expect(await failure(replays.replay({ path }, options))).toMatchObject({
    code: "invalid_cassette",
    message: "The cassette is cut off: the end of its JSON is missing.",
  });
  expect(await failure(replays.replay({ path: `${path}.gone` }, options))).toMatchObject({
    kind: "not_found",
    code: "cassette_not_found",
  });
});

test("one sender's replays don't keep another sender waiting behind all of them", async () => {
  const replays = open(`console.log(JSON.stringify({ report: JSON.parse(line).cassette }));`);
  const order: string[] = [];
  const replay = async (cassette: string, owner: string) => {
    order.push(String(await replays.replay({ cassette }, { ...options, owner })));
  };
  await Promise.all([replay("a1", "a"), replay("a2", "a"), replay("a3", "a"), replay("b1", "b")]);
  expect(order).toEqual(["a1", "a2", "b1", "a3"]);
});
