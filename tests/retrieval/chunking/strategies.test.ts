import { describe, expect, test } from "bun:test";
import type { ChunkingSettings } from "../../../src/retrieval/chunking/chunker.ts";
import { createChunker } from "../../../src/retrieval/chunking/create-chunker.ts";
import type { Embedder } from "../../../src/retrieval/embedding/embedder.ts";

const never = new AbortController().signal;

/** One direction per topic; a text without a topic has a zero vector. */
const topics = ["dog", "ship", "bread"];
function topicEmbedder(): Embedder & { batches: string[][] } {
  const batches: string[][] = [];
  return {
    batches,
    id: "topics",
    isLexical: false,
    defaultThreshold: 0.5,
    dimension: async () => topics.length,
    async embed(texts) {
      batches.push([...texts]);
      return new Float32Array(texts.flatMap((text) => topics.map((topic) => (text.includes(topic) ? 1 : 0))));
    },
  };
}

async function cut(text: string, settings: Partial<ChunkingSettings>, embedder = topicEmbedder()) {
  const all = { strategy: "recursive", chunk_size: 40, overlap: 0, similarity_threshold: 0.5, ...settings };
  return (await createChunker(all, embedder)(text, never)).map((chunk) => chunk.text);
}

describe("fixed", () => {
  const table: [text: string, size: number, overlap: number, chunks: string[]][] = [
    ["abcdefghij", 4, 0, ["abcd", "efgh", "ij"]],
    ["abcdefghij", 4, 1, ["abcd", "defg", "ghij"]],
    ["abcdefghij", 4, 3, ["abcd", "bcde", "cdef", "defg", "efgh", "fghi", "ghij"]],
    ["abcdefgh", 4, 0, ["abcd", "efgh"]],
    ["👍👍👍👍👍", 2, 0, ["👍👍", "👍👍", "👍"]],
    ["ab👩‍👩‍👧cd", 6, 0, ["ab", "👩‍👩‍👧c", "d"]],
    ["אבגדה", 2, 1, ["אב", "בג", "גד", "דה"]],
  ];
  test.each(table)("%s by %i, sharing %i", async (text, chunk_size, overlap, chunks) => {
    expect(await cut(text, { strategy: "fixed", chunk_size, overlap })).toEqual(chunks);
  });
});

describe("recursive", () => {
  const table: [name: string, text: string, settings: Partial<ChunkingSettings>, chunks: string[]][] = [
    [
      "a heading begins a chunk",
      "# One\n\nThe first part is this.\n\n## Two\n\nThe second part is this.\n",
      {},
      ["# One\n\nThe first part is this.\n\n", "## Two\n\nThe second part is this.\n"],
    ],
    [
      "paragraphs that fit together stay together",
      "One.\n\nTwo.\n\nThree.\n\nFour is a longer paragraph here.",
      {},
      ["One.\n\nTwo.\n\nThree.\n\n", "Four is a longer paragraph here."],
    ],
    [
      "a short paragraph before a whole one is a chunk of its own",
      "Short.\n\nThis paragraph needs nearly all the room.",
      {},
      ["Short.\n\n", "This paragraph needs nearly all the room."],
    ],
    [
      "what is too long for a chunk fills up what a short paragraph leaves",
      `Short.\n\n${"Seven is a sentence. ".repeat(4)}`,
      { chunk_size: 60 },
      ["Short.\n\nSeven is a sentence. Seven is a sentence. ", "Seven is a sentence. Seven is a sentence. "],
    ],
    [
      "lines before sentences, sentences before words",
      "A first line. With two.\nA second line, that is long and goes on. End.",
      {},
      ["A first line. With two.\n", "A second line, that is long and goes on. ", "End."],
    ],
    [
      "a word that is too long is cut anywhere",
      `start ${"x".repeat(50)} end`,
      { chunk_size: 20 },
      ["start ", "x".repeat(20), "x".repeat(20), `${"x".repeat(10)} end`],
    ],
    [
      "Chinese is cut after its full stops and commas",
      "今天天气很好，我们去公园散步。明天会下雨，所以要带伞。后天再看吧。",
      { chunk_size: 16 },
      ["今天天气很好，我们去公园散步。", "明天会下雨，所以要带伞。", "后天再看吧。"],
    ],
    [
      "line ends of two characters stay whole",
      "One line here.\r\n\r\nAnother line here.\r\n\r\nA third.",
      { chunk_size: 24 },
      ["One line here.\r\n\r\n", "Another line here.\r\n\r\n", "A third."],
    ],
    [
      "own separators, best first",
      "a1;a2|b1;b2;b3|c1",
      { chunk_size: 9, separators: ["|", ";"] },
      ["a1;a2|", "b1;b2;b3|", "c1"],
    ],
    [
      "an own separator that begins with a line end leaves the rest to what follows",
      "intro text here\n§ one two three\n§ four five",
      { chunk_size: 20, separators: ["\n§ "] },
      ["intro text here\n", "§ one two three\n", "§ four five"],
    ],
    [
      "an own separator that is not there: wherever a chunk is full",
      "abcdefghij",
      { chunk_size: 4, separators: ["|"] },
      ["abcd", "efgh", "ij"],
    ],
    ["an empty separator is none", "abcdefghij", { chunk_size: 5, separators: [""] }, ["abcde", "fghij"]],
  ];
  test.each(table)("%s", async (_, text, settings, chunks) => {
    expect(await cut(text, { chunk_size: 42, ...settings })).toEqual(chunks);
  });

  test("chunks share whole sentences where they fit, else whole words", async () => {
    const text = "One is here. Two is there. Three is nowhere. Four is everywhere. Five.";
    const [first, second] = await cut(text, { chunk_size: 46, overlap: 24 });
    expect(first).toBe("One is here. Two is there. Three is nowhere. ");
    expect(second).toStartWith("Three is nowhere. Four");
    const [, next] = await cut(text, { chunk_size: 46, overlap: 12 });
    expect(next).toStartWith("is nowhere. Four");
  });
});

describe("sentence", () => {
  const table: [name: string, text: string, settings: Partial<ChunkingSettings>, chunks: string[]][] = [
    [
      "as many whole sentences as fit",
      "One is here. Two is there! Is three? Four… Yes.",
      { chunk_size: 27 },
      ["One is here. Two is there! ", "Is three? Four… Yes."],
    ],
    [
      "abbreviations, initials, numbers and small letters end none",
      "Dr. J. Smith paid approx. 3.50 for it. Then he left.",
      { chunk_size: 40 },
      ["Dr. J. Smith paid approx. 3.50 for it. ", "Then he left."],
    ],
    [
      "closing quotes and brackets belong to the sentence",
      '"Is it?" (He knew.) "It is." She left.',
      { chunk_size: 22 },
      ['"Is it?" (He knew.) ', '"It is." She left.'],
    ],
    [
      "items of a list are sentences",
      "We need:\n- a red apple\n- a green pear\n1. one more\n",
      { chunk_size: 27 },
      ["We need:\n- a red apple\n", "- a green pear\n1. one more\n"],
    ],
    [
      "full stops of other scripts",
      "यह एक वाक्य है। यह दूसरा है। これは文です。次の文。هل هذا سؤال؟ نعم.",
      { chunk_size: 18 },
      ["यह एक वाक्य है। ", "यह दूसरा है। ", "これは文です。次の文。", "هل هذا سؤال؟ نعم."],
    ],
    [
      "a sentence that is too long is cut between words",
      "This one sentence is longer than a chunk can be. Short.",
      { chunk_size: 30 },
      ["This one sentence is longer ", "than a chunk can be. Short."],
    ],
    [
      "less is shared where the next sentence would not fit otherwise",
      "Alpha beta gamma delta. One two three four five six seven. End.",
      { chunk_size: 38, overlap: 20 },
      ["Alpha beta gamma delta. ", "One two three four five six seven. ", "five six seven. End."],
    ],
  ];
  test.each(table)("%s", async (_, text, settings, chunks) => {
    expect(await cut(text, { strategy: "sentence", ...settings })).toEqual(chunks);
  });
});

describe("semantic", () => {
  const settings = { strategy: "semantic", chunk_size: 200 };

  test("topics are cut apart, what goes together stays", async () => {
    const text = "A dog barks. The dog runs. A ship sails. The ship sinks. Some bread.";
    expect(await cut(text, settings)).toEqual([
      "A dog barks. The dog runs. ",
      "A ship sails. The ship sinks. ",
      "Some bread.",
    ]);
  });

  test("a sentence that says nothing stays with what is before it", async () => {
    expect(await cut("A dog barks. Indeed! The dog runs. A ship sails.", settings)).toEqual([
      "A dog barks. Indeed! The dog runs. ",
      "A ship sails.",
    ]);
  });

  test("a topic that is too long is cut between sentences, and only there something is shared", async () => {
    const text = "A dog barks. The dog runs. One dog sleeps. Any dog eats. A ship sails.";
    expect(await cut(text, { ...settings, chunk_size: 45, overlap: 16 })).toEqual([
      "A dog barks. The dog runs. One dog sleeps. ",
      "One dog sleeps. Any dog eats. ",
      "A ship sails.",
    ]);
  });

  test("neighbours exactly as similar as the threshold stay together", async () => {
    const text = "A dog on a ship. A ship. Some bread.";
    const half: Partial<ChunkingSettings> = { ...settings, similarity_threshold: 1 };
    expect(await cut(text, half)).toEqual(["A dog on a ship. A ship. ", "Some bread."]);
  });

  test("sentences go to the embedder in batches, long ones no longer than a chunk", async () => {
    const embedder = topicEmbedder();
    const text = `${"A dog barks. ".repeat(1000)}${"dog ".repeat(500)}`;
    await cut(text, { ...settings, chunk_size: 100 }, embedder);
    expect(embedder.batches.length).toBeGreaterThan(3);
    expect(Math.max(...embedder.batches.map((batch) => batch.length))).toBeLessThanOrEqual(256);
    expect(Math.max(...embedder.batches.flat().map((sentence) => sentence.length))).toBe(100);
  });

  test("an embedder that fails fails the document", async () => {
    const broken = { ...topicEmbedder(), embed: () => Promise.reject(new Error("down")) };
    expect(await cut("One. Two.", settings, broken).catch((thrown) => thrown.message)).toBe("down");
  });
});
