import { expect, test } from "bun:test";
import { readCassette, readCassetteText, readHead } from "../../../src/engine/cassettes/read-cassette.ts";
import { renderCassette } from "../../../src/engine/cassettes/record/render-cassette.ts";
import { recorded, replayed } from "../../support/cassettes.ts";
import { asks, type Stage, stage } from "../../support/staged-run.ts";
import { workDone } from "../../support/work-done.ts";

const staged = (): Stage =>
  stage({
    calls: [asks("", { name: "look", input: { at: "sky" } }), "Blue."],
    tools: [{ name: "look", execute: async () => ({ success: true, data: { deep: [1, { a: null }] } }) }],
  });

const { text } = await recorded(staged());

// biome-ignore lint/suspicious/noExplicitAny: what is changed here is to be wrong.
type Loose = any;
const changed = (change: (cassette: Loose) => void): string => {
  const cassette = JSON.parse(text);
  change(cassette);
  return JSON.stringify(cassette);
};

test.each<[string, string, string]>([
  ["nothing", "", "f.json is empty."],
  ["blanks", " \n", "f.json is empty."],
  ["no JSON", "hello", "f.json is not JSON, so no cassette."],
  ["a file that was cut off", text.slice(0, 1500), "f.json is cut off: the end of its JSON is missing."],
  ["a list", "[]", "f.json is not a cassette."],
  ["null", "null", "f.json is not a cassette."],
  ["somebody else's file", '{"version": 1, "name": "other"}', "f.json is not a cassette."],
  ["somebody else's newer file", '{"version": 7}', "f.json is not a cassette."],
  [
    "a newer form",
    changed((cassette) => {
      cassette.version = 2;
    }),
    "f.json was recorded by a newer version: its form is 2, and this version reads 1.",
  ],
  [
    "no such version",
    changed((cassette) => {
      cassette.version = "1";
    }),
    "f.json is not a cassette.",
  ],
  [
    "a part that is missing",
    changed((cassette) => {
      delete cassette.request;
    }),
    "f.json is damaged: request expected required property.",
  ],
  [
    "an entry of no known kind",
    changed((cassette) => {
      cassette.entries[3].kind = "magic";
    }),
    "f.json is damaged: entries[3] ",
  ],
  [
    "an answer of another kind",
    changed((cassette) => {
      cassette.entries[3].answer = { result: { success: true } };
    }),
    "f.json is damaged: entries[3] ",
  ],
  [
    "a request that was changed",
    changed((cassette) => {
      cassette.entries[3].request.messages[1].content = "Another question";
    }),
    "f.json was changed: the key of entry 4 (model) does not belong to its request.",
  ],
  [
    "whose request it is was changed",
    changed((cassette) => {
      cassette.entries[4].by.agent = "other";
    }),
    "f.json was changed: the key of entry 5 (tool) does not belong to its request.",
  ],
  [
    "two entries in one place",
    changed((cassette) => {
      cassette.entries[1].seq = 1;
    }),
    "f.json is damaged: there are two entries 1.",
  ],
  [
    "an agent too few",
    changed((cassette) => {
      cassette.agents = {};
    }),
    "f.json is damaged: it lacks the agent staged, which was asked.",
  ],
  [
    "an agent that only prototypes have",
    changed((cassette) => {
      cassette.summary.agent = "constructor";
    }),
    "f.json is damaged: it lacks the agent constructor, which was asked.",
  ],
  [
    "a request that is nested beyond reason",
    text.replace(
      '"input":{"at":"sky"}},"answer',
      `"input":${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}},"answer`,
    ),
    "f.json ",
  ],
])("refuses %s", (_, given, message) => {
  let thrown: unknown;
  try {
    readCassette(given, "f.json");
  } catch (refused) {
    thrown = refused;
  }
  expect(thrown).toMatchObject({ kind: "invalid", code: "invalid_cassette" });
  expect(String((thrown as Error).message)).toStartWith(message);
});

test("keys of a request may be in any order, and an answer may be edited", async () => {
  const reordered = changed((cassette) => {
    const { messages, ...rest } = cassette.entries[3].request;
    cassette.entries[3].request = { ...rest, messages };
    cassette.entries[4].answer.result.data = { deep: [1, { a: null }] };
  });
  expect(await replayed(readCassette(reordered, "f.json"))).toMatchObject({ identical: true });
});

test("a manifest that this version can't build is refused when it is replayed", async () => {
  const unknown = changed((cassette) => {
    cassette.agents.staged.manifest.spec.orchestration.pattern = "telepathy";
  });
  await expect(replayed(readCassette(unknown, "f.json"))).rejects.toMatchObject({
    code: "invalid_cassette",
    message: expect.stringContaining("The cassette's agent staged can't be built by this version: "),
  });
});

test("the first line alone says what is in the file", () => {
  const summary = readHead(text.split("\n")[0] ?? "");
  expect(summary).toEqual(readCassette(text, "f.json").summary);
  expect(summary).toMatchObject({
    agent: "staged",
    session_id: "s",
    query: "hi",
    status: "ok",
    model_calls: 2,
    tool_calls: 1,
    redactions: 0,
  });
});

test.each(["", "{", "{}", "null,", '{"version":1,"summary":{"id":"a"},'])(
  "a first line %j says nothing",
  (line) => {
    expect(readHead(line)).toBeUndefined();
  },
);

test("a recording beyond its size is not made, and the run is none the worse for it", async () => {
  const run = staged();
  const { recordRun } = await import("../../../src/engine/cassettes/record/record-run.ts");
  const { play } = await import("../../support/staged-run.ts");
  const played = await play(
    recordRun(run.ports, run.agent, run.requestOf({}), {
      argosy: "0",
      keep: async (recording) =>
        renderCassette(recording, { maskKnown: (plain) => plain, bytesMax: 2000 }).summary.id,
    }),
  );
  expect(played.result).toMatchObject({
    response: "Blue.",
    cassette_error: "The recording has more than 0 MiB.",
  });
  expect(played.result).not.toHaveProperty("cassette");
  expect(run.logged).toContainEqual(expect.objectContaining({ level: "warn", event: "cassette.lost" }));
});

test("a recording that can't be made or kept for any other reason changes nothing either", async () => {
  const run = staged();
  const { recordRun } = await import("../../../src/engine/cassettes/record/record-run.ts");
  const { play } = await import("../../support/staged-run.ts");
  const failing = { argosy: "0", keep: () => Promise.reject(new Error("a secret path")) };
  const played = await play(recordRun(run.ports, run.agent, run.requestOf({}), failing));
  expect(played.result).toMatchObject({
    response: "Blue.",
    cassette_error: "The run could not be recorded.",
  });
  const cut = stage({ calls: [new Error("boom")] });
  const failed = await play(recordRun(cut.ports, cut.agent, cut.requestOf({}), failing));
  expect(failed.thrown).toMatchObject({
    code: "internal",
    details: { facts: { cassette_error: "The run could not be recorded." } },
  });
});

test("a kept cassette is read in pieces, with the same faults", () => {
  const text = `{"version":1,"entries":[${'{"a":1},'.repeat(200_000)}{}]}`;
  const work = readCassetteText(text, "it");
  expect(work.next().done).toBe(false);
  for (const [broken, fault] of [
    ["", "it is empty."],
    ['{"version":1', "it is cut off: the end of its JSON is missing."],
    ["x", "it is not JSON, so no cassette."],
    ["null", "it is not a cassette."],
  ] as const) {
    expect(() => workDone(readCassetteText(broken, "it"))).toThrow(fault);
  }
});
