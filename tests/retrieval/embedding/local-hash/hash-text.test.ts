import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { createTextHasher } from "../../../../src/retrieval/embedding/local-hash/hash-text.ts";
import { growth } from "../../../support/growth.ts";

const hasher = createTextHasher(384);

function vectorOf(text: string): Float32Array {
  const vector = new Float32Array(384);
  hasher.hash(text, vector, 0);
  return vector;
}

function dot(one: Float32Array, other: Float32Array): number {
  return one.reduce((sum, value, at) => sum + value * (other[at] ?? Number.NaN), 0);
}

const similarity = (one: string, other: string) => dot(vectorOf(one), vectorOf(other));

// Vectors in a collection are compared with later ones: to change these, raise the version of local_hash.
const golden: [text: string, hex: string][] = [
  [
    "The quick brown fox jumps over the lazy dog.",
    "b149e6bd33aa1dbdf390f73d6a152a3e8b6cc0be0efbe23e0a3a8abd09de9d3e6a152abe1fda86bed4c11fbf4a60783c000000004811ea3d4f1f38bd0a3a8a3d",
  ],
  [
    "¿Dónde está la biblioteca? — Crème brûlée, Straße, ﬁnal",
    "60a49abef4d059be5568453dc76212bef4d0d93d563b0f3ece9b61be8f429e3eb6d3013f3033cd3e0b74ac3e4350133e577f9cbe9b90b63c07ee9f3d86d2f03d",
  ],
  [
    "Привет, мир! Ещё ёлка",
    "000000000613133f4ff056be9c475abdf2649fbefe1b84be1bc1863e4ff0563ee5adba3e0000000000000000b51e453e29b3cfbd8fbeb23e4ff056be00000000",
  ],
  [
    "日本語の文章です。東京タワー",
    "9c0d023ed277a6be00000000000000009c0d02beb742143f9c0d023e08e24a3e9c0d02bea07ee73e08e24abe0000000000000000d277a6be00000000d277a63e",
  ],
  [
    "ภาษาไทยไม่มีช่องว่าง",
    "00000000c0015dbe6f9115be9849b93e4c87abbe0000000011ad06bec0015d3e000000000c1604bfc001ddbe5ea9acbdd1e9c53df45c803ec0015d3ec0015d3e",
  ],
  [
    "مَرْحَبًا بالعالم שָׁלוֹם",
    "432310be17e2cf3d7f53aabe633a963e432310be963ee83cba8344be00000000d32e133f2da79ebeba8344beceb8e6be4323103e963ee83c00000000162b2dbe",
  ],
  [
    "안녕하세요 세계",
    "00000000256029bf00000000317b9d3d00000000444f3e3e00000000a898f33e00000000444f3e3e0000000000000000a898f33e00000000444f3ebe00000000",
  ],
  [
    "नमस्ते दुनिया",
    "3700223e000000000000000000000000544474be00000000544474be000000000000000046c44bbf544474be544474be000000005444743e5444743e00000000",
  ],
  [
    "👩‍👩‍👧 🚀 C++ F# v2.0 chunkSize chunk_size",
    "62858d3d4603bdbeb3c841bdad3877bd4603bd3eca1728be3cfa48be5354163e3cfa48be6645c9be535416be696c79be12c516be500c31bede29103e9587083f",
  ],
];

describe("vectors stay what they are, on every platform", () => {
  test.each(golden)("%s", (text, hex) => {
    const vector = new Float32Array(16);
    createTextHasher(16).hash(text, vector, 0);
    expect(Buffer.from(vector.buffer).toString("hex")).toBe(hex);
  });

  test("and with the usual length", () => {
    const digest = new Bun.CryptoHasher("sha256");
    for (const [text] of golden) digest.update(vectorOf(text));
    expect(digest.digest("hex")).toBe("76f769c37c75e094584a3e1cc3370ff6197a9979d52f059f5432306de603ed10");
  });
});

const texts = fc.oneof(fc.string({ unit: "grapheme" }), fc.string({ unit: "binary" }), fc.lorem());

test("every text has a vector of length 1, or zeros when it says nothing", () => {
  fc.assert(
    fc.property(texts, (text) => {
      const length = Math.sqrt(dot(vectorOf(text), vectorOf(text)));
      const saysNothing = !/[\p{L}\p{M}\p{N}\p{So}\p{Extended_Pictographic}]/u.test(text);
      if (saysNothing) expect(length).toBe(0);
      else expect(Math.abs(length - 1) < 1e-5 || length === 0).toBe(true);
    }),
  );
});

test("a vector doesn't depend on what was hashed before, nor on where it is written", () => {
  fc.assert(
    fc.property(fc.array(texts, { maxLength: 8 }), (all) => {
      const together = new Float32Array(all.length * 384);
      for (const [at, text] of all.entries()) hasher.hash(text, together, at * 384);
      for (const [at, text] of all.entries()) {
        const alone = new Float32Array(384);
        createTextHasher(384).hash(text, alone, 0);
        expect(together.slice(at * 384, (at + 1) * 384)).toEqual(alone);
      }
    }),
    { numRuns: 30 },
  );
});

test.each([
  ["case", "Straße IN Paris", "STRASSE in paris"],
  ["accents", "Crème brûlée a São Paulo", "Creme brulee a Sao Paulo"],
  ["composed and decomposed letters", "caf\u00e9 \u1e69", "cafe\u0301 s\u0323\u0307"],
  ["widths and ligatures", "ＡＰＩ ﬁle ２", "API file 2"],
  ["vowel points", "مَرْحَبًا שָׁלוֹם", "مرحبا שלום"],
  ["forms of sigma", "ΟΔΟΣ οδός", "οδοσ ΟΔΌΣ"],
  ["punctuation and space", "one, two -- (three)!", "one two\n\nthree"],
  ["the spelling of names in code", "chunkSize", "chunk_size"],
  ["the order of words", "a red bright flower", "bright flower red a"],
])("%s makes no difference", (_, one, other) => {
  expect(vectorOf(one)).toEqual(vectorOf(other));
});

test.each([
  ["forms of a word", "indexes", "indexing"],
  ["slips of the pen", "configuration", "configuratoin"],
  ["compounds", "Sicherungskopie", "Sicherung"],
  ["a Korean noun and its particle", "서울에서 만나요", "서울"],
  ["Chinese words in a sentence", "我的猫的名字是小黑", "猫的名字"],
  ["Thai words in a sentence", "ภาษาไทยไม่มีช่องว่าง", "ภาษาไทย"],
  ["C++ and C++", "compile C++ sources", "C++"],
])("%s are similar", (_, one, other) => {
  expect(similarity(one, other)).toBeGreaterThan(0.3);
});

test.each([
  ["other words", "The invoice is unpaid.", "My dog likes cheese."],
  [
    "questions alike in words that say nothing",
    "What is it that you do with the invoice?",
    "What is it that you do with a dog?",
  ],
  ["scripts", "Hamburg harbour", "我的猫叫小黑"],
  ["C++ and C#", "C++", "C#"],
  ["emoji", "🚀", "🐕"],
])("%s are not", (_, one, other) => {
  expect(Math.abs(similarity(one, other))).toBeLessThan(0.3);
});

test("the threshold lies between what belongs together and what doesn't", () => {
  const pairs: [string, string][] = [
    ["What is my dog's name?", "My dog is called Rex and he is three years old."],
    ["When is my flight to Lima?", "I booked a flight to Lima on the 3rd of March."],
    ["¿Cuál es mi dirección de envío?", "Mi dirección de envío es Calle Mayor 5, Madrid."],
    ["wo ist mein Paket", "Mein Paket mit der Nummer 123 ist seit Montag unterwegs."],
    [
      "What is the deadline of the Apollo project?",
      "The Apollo project's deadline was moved to Friday, 12 June.",
    ],
    ["我的猫叫什么名字", "我的猫的名字是小黑，它两岁了。"],
    ["Как зовут мою собаку?", "Мою собаку зовут Шарик."],
    ["favourite colour", "My favourite colour is green."],
    ["tell me about the invoice from ACME", "The invoice from ACME over 300 euros is still unpaid."],
    ["How do I reset the router?", "To reset the router hold the button on the back for ten seconds."],
  ];
  for (const [at, [question]] of pairs.entries()) {
    const scores = pairs.map(([, memory]) => similarity(question, memory));
    expect(scores[at]).toBeGreaterThan(0.3);
    expect(Math.max(...scores.filter((_, other) => other !== at))).toBeLessThan(0.3);
  }
});

test.each([
  ["one word", (times: number) => "x".repeat(times)],
  ["words", (times: number) => "a quick word ".repeat(times)],
  ["different words", (times: number) => Array.from({ length: times }, (_, at) => `w${at}`).join(" ")],
  ["nothing but accents", (times: number) => "\u0301\u0323".repeat(times)],
  ["an accented letter without end", (times: number) => `a${"\u0323\u0301".repeat(times)}`],
  ["capitals inside", (times: number) => "aB".repeat(times)],
  ["what unfolds to more", (times: number) => "\ufdfa".repeat(times)],
  ["joined emoji", (times: number) => "👩‍👩‍👧".repeat(times)],
  ["halves of pairs", (times: number) => "\ud83d".repeat(times)],
  ["jamo", (times: number) => "\u1100\u1161\u11a8".repeat(times)],
])("time grows with the length: %s", (_, recipe) => {
  expect(growth(recipe, vectorOf)).toBeLessThan(4);
});

test("a text of more different words than are counted at once", () => {
  const words = Array.from({ length: 100_000 }, (_, at) => `w${at.toString(36)}`).join(" ");
  const vector = vectorOf(words);
  expect(dot(vector, vector)).toBeCloseTo(1, 4);
});
