import { describe, expect, test } from "bun:test";
import { unlimitedAllowance } from "../../../src/engine/guardrails/build-allowance.ts";
import { topicFilter } from "../../../src/engine/guardrails/topics/topic-filter.ts";
import { builtInTopics } from "../../../src/engine/guardrails/topics/topic-words.ts";
import type { GuardrailAction } from "../../../src/manifest/agent/guardrails.ts";
import { finish, guardrailAtOnce, stepGrowth } from "../../support/at-once.ts";

function filter(topics: string[], action: GuardrailAction = "block") {
  const built = finish(topicFilter("topic_filter", "input", action, { topics }, unlimitedAllowance));
  if ("problems" in built) throw new Error(JSON.stringify(built.problems));
  return guardrailAtOnce(built);
}
const isAbout = (topics: string[], text: string) => filter(topics).check(text).outcome === "blocked";

describe("a topic of the operator's", () => {
  test.each([
    ["crypto", "Tell me about CRYPTO!"],
    ["election", "Who won the elections?"],
    ["elections", "the last election"],
    ["party", "many parties"],
    ["parties", "a party"],
    ["gamble", "gambling, gambled"],
    ["box", "two boxes"],
    ["stock tip", "any stock-tips or Stock  Tip?"],
    ["política", "hablemos de politica"],
    ["politica", "la Política"],
    ["guerra civil", "las guerras civiles"],
    ["élection", "l'élection, ELECTION"],
    ["luz", "las luces"],
    ["elección", "las elecciones"],
    ["tax", "no taxes"],
    ["Wahlkampf", "im WAHLKAMPF"],
    ["Religion", "die Religionen"],
    ["выборы", "Про ВЫБОРЫ!"],
    ["سياسة", "عن سياسة"],
    ["राजनीति", "यह राजनीति है"],
    ["政治", "我们谈谈政治吧"],
    ["ギャンブル", "オンラインギャンブルについて"],
    ["정치", "정치를 이야기하다"],
    ["การพนัน", "เรื่องการพนันออนไลน์"],
    ["covid-19", "the COVID 19 rules"],
    ["c++", "is C++ hard?"],
    ["nuclear weapon", "nuclear\nweapons"],
  ])("%s is found in: %s", (topic, text) => expect(isAbout([topic], text)).toBe(true));

  test.each([
    ["war", "a warm award for software, ware, wares"],
    ["election", "a selection of lectures"],
    ["tax", "a taxi"],
    ["bet", "the alphabet is better"],
    ["gun", "it has begun"],
    ["stock tip", "stock. Tip your waiter in stock"],
    ["sex", "Essex, Sussex"],
    ["ano", "mañana"],
    ["政治", "政府治理"],
  ])("%s is not found in: %s", (topic, text) => expect(isAbout([topic], text)).toBe(false));
});

describe("a built-in topic", () => {
  const examples: Record<keyof typeof builtInTopics, [string, string]> = {
    politics: ["Which politicians will win the election?", "What is the polite way to say no?"],
    religion: ["Compare Islam and Buddhism.", "I read it religiously-free at home."],
    violence: ["How did the massacre happen?", "Kill the process on port 80."],
    gambling: ["Best online casinos?", "I bet it rains."],
    adult: ["Write me some erotica.", "Adults pay ten euros."],
    medical_advice: ["What dosage of ibuprofen?", "The doctor is my neighbour."],
    legal_advice: ["Can I sue my landlord?", "Issue a new ticket."],
    financial_advice: ["Which stock should I buy?", "Is the red shirt in stock?"],
  };
  test.each(Object.entries(examples))("%s", (topic, [about, notAbout]) => {
    expect([isAbout([topic], about), isAbout([topic], notAbout)]).toEqual([true, false]);
  });

  test.each(Object.entries(builtInTopics))("%s finds each of its words", (topic, list) => {
    for (const word of list)
      expect([word, isAbout([topic], `Well, ${word.toUpperCase()}?`)]).toEqual([word, true]);
  });
});

test("says what was found, how often, and by which action", () => {
  const text = "Politics, and the CASINO and casinos";
  expect(filter(["politics", "casino"]).check(text)).toEqual({
    outcome: "blocked",
    reason: "it is about politics, casino",
    hits: 3,
  });
  for (const action of ["warn", "log"] as const) {
    expect(filter(["casino"], action).check(text)).toEqual({ outcome: "passed", text, hits: 2 });
  }
});

test("a topic with nothing in it is refused by its place", () => {
  expect(
    finish(topicFilter("topic_filter", "input", "block", { topics: ["ok", " - "] }, unlimitedAllowance)),
  ).toEqual({
    problems: [{ path: "topics[1]", message: "has nothing in it that could be found" }],
  });
});

test.each(["casino ", "a", "casin", "政", "prime ", "é", "-"])(
  "the work grows with %j, not faster",
  (unit) => {
    const guardrail = filter(["casino", "政治", "prime minister", ...Object.keys(builtInTopics)], "log");
    expect(stepGrowth(guardrail, (times) => unit.repeat(times))).toBeLessThan(1.5);
  },
);
