import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { channels } from "../../../src/channels/channel-registry.ts";
import { type AnswerFormat, formatAnswer } from "../../../src/channels/formatting/format-answer.ts";
import { lengthIn } from "../../../src/channels/sending/text-length.ts";
import type { ChannelName } from "../../../src/contracts/gateway/channels.ts";

const written = (channel: ChannelName, text: string, format: AnswerFormat = "markdown") =>
  formatAnswer(channel, text, { format, partsMax: 100 });
const one = (channel: ChannelName, text: string, format?: AnswerFormat) => {
  const [message, ...more] = written(channel, text, format);
  expect(more).toEqual([]);
  return message;
};

describe("Markdown becomes each channel's own", () => {
  test.each([
    ["**bold** and __bold__", "*bold* and *bold*", "<b>bold</b> and <b>bold</b>", "bold and bold"],
    ["*it* and _it_", "_it_ and _it_", "<i>it</i> and <i>it</i>", "it and it"],
    ["~~gone~~", "~gone~", "<s>gone</s>", "gone"],
    ["`a*b`", "`a*b`", "<code>a*b</code>", "a*b"],
    ["**bold *it* bold**", "*bold _it_ bold*", "<b>bold <i>it</i> bold</b>", "bold it bold"],
    ["# Title\n\ntext", "*Title*\n\ntext", "<b>Title</b>\n\ntext", "Title\n\ntext"],
    ["# A **b** c", "*A b c*", "<b>A b c</b>", "A b c"],
    ["- a\n- b", "- a\n- b", "• a\n• b", "• a\n• b"],
    ["3. a\n4. b", "3. a\n4. b", "3. a\n4. b", "3. a\n4. b"],
    [
      "- a\n  - b\n\n  c\n- d",
      "- a\n\n  - b\n  c\n\n- d",
      "• a\n\n  • b\n  c\n\n• d",
      "• a\n\n  • b\n  c\n\n• d",
    ],
    ["- [x] a\n- [ ] b", "☑ a\n☐ b", "☑ a\n☐ b", "☑ a\n☐ b"],
    ["> a\n> b", "> a\n> b", "<blockquote>a\nb</blockquote>", "> a\n> b"],
    [
      "```js\na < b\n\n  c\n```",
      "```a < b\n\n  c```",
      '<pre><code class="language-js">a &lt; b\n\n  c</code></pre>',
      "a < b\n\n  c",
    ],
    [
      "[here](https://a.example/b_c)",
      "here (https://a.example/b_c)",
      '<a href="https://a.example/b_c">here</a>',
      "here (https://a.example/b_c)",
    ],
    [
      "https://a.example/b_c_d",
      "https://a.example/b_c_d",
      "https://a.example/b_c_d",
      "https://a.example/b_c_d",
    ],
    ["[a@b.example](mailto:a@b.example)", "a@b.example", "a@b.example", "a@b.example"],
    ["[x](javascript:alert)", "x", "x", "x"],
    [
      "![cat](https://a.example/c.png)",
      "cat (https://a.example/c.png)",
      '<a href="https://a.example/c.png">cat</a>',
      "cat (https://a.example/c.png)",
    ],
    ["| a | b |\n|---|---|\n| 1 | 2 |", "*a | b*\n1 | 2", "<b>a | b</b>\n1 | 2", "a | b\n1 | 2"],
    ["a\n\n---\n\nb", "a\n\n———\n\nb", "a\n\n———\n\nb", "a\n\n———\n\nb"],
    ["1 < 2 & **3**", "1 < 2 & *3*", "1 &lt; 2 &amp; <b>3</b>", "1 < 2 & 3"],
    [
      "<script>x</script> **b**",
      "<script>x</script> *b*",
      "&lt;script&gt;x&lt;/script&gt; <b>b</b>",
      "<script>x</script> b",
    ],
    ["a<br>b", "a\nb", "a\nb", "a\nb"],
    ["snake_case_name 2*3*4", "snake_case_name 2*3*4", "snake_case_name 2*3*4", "snake_case_name 2*3*4"],
    [
      "5~6, 7~8, `1*2`, 2**3",
      "5~6, 7~8, `1*2`, 2**3",
      "5~6, 7~8, <code>1*2</code>, 2**3",
      "5~6, 7~8, 1*2, 2**3",
    ],
    ["&amp; \\*x\\*", "& *x*", "& *x*", "& *x*"],
    ["line one\nline two", "line one\nline two", "line one\nline two", "line one\nline two"],
    // WhatsApp would show these marks as they stand.
    ["un**believ**able", "unbelievable", "un<b>believ</b>able", "unbelievable"],
    ["**a\\*b**", "a*b", "<b>a*b</b>", "a*b"],
    ["**one\ntwo**", "*one*\n*two*", "<b>one\ntwo</b>", "one\ntwo"],
    ["***", "———", "———", "———"],
  ])("%j", (source, whatsApp, telegram, plain) => {
    expect(one("phone_messenger", source)).toEqual({ text: whatsApp });
    const bot = one("bot_messenger", source);
    expect(bot?.html ?? bot?.text).toBe(telegram);
    for (const channel of ["photo_social", "webchat", "echo"] as const) {
      expect(one(channel, source)).toEqual({ text: plain });
    }
    expect(one("phone_messenger", source, "plain")?.text).toBe(plain);
    expect(one("bot_messenger", source, "plain")).toEqual({ text: plain });
    expect(one("phone_messenger", source, "raw")).toEqual({ text: source });
  });

  test("and without words nothing is left to send", () => {
    expect(written("phone_messenger", " \n ")).toEqual([]);
    expect(written("phone_messenger", "[](https://a.example)")[0]?.text).not.toBe("");
  });
});

test("a mark that a division cuts is set in both parts", () => {
  const [first, second] = written("phone_messenger", `**${"word ".repeat(1_000)}end**`);
  for (const part of [first, second]) expect(part?.text).toMatch(/^\*[^*]+\*$/);
  const [html] = written("bot_messenger", `\`\`\`\n${"line\n".repeat(1_000)}\`\`\``);
  expect(html?.html).toMatch(/^<pre>[^<]+<\/pre>$/);
});

test.each([
  ["phone_messenger", "😀".repeat(4096), 1],
  ["phone_messenger", "😀".repeat(4097), 2],
  ["bot_messenger", "😀".repeat(2048), 1],
  ["bot_messenger", "😀".repeat(2049), 2],
  // Only the text counts, not its marks.
  ["bot_messenger", `**${"&".repeat(4096)}**`, 1],
  ["phone_messenger", `**${"a".repeat(4094)}**`, 1],
  ["phone_messenger", `**${"a".repeat(4095)}**`, 2],
  ["photo_social", "é".repeat(500), 1],
  ["photo_social", "é".repeat(501), 2],
] as const)("%s counts as its provider: %#", (channel, text, parts) => {
  expect(written(channel, text)).toHaveLength(parts);
});

test("what is beyond the last part is cut, and the cut is shown", () => {
  const parts = formatAnswer("phone_messenger", "**word** ".repeat(3_000), {
    format: "markdown",
    partsMax: 2,
  });
  expect(parts.map(({ text }) => text.endsWith(" …"))).toEqual([false, true]);
  for (const { text } of parts) expect(text.length).toBeLessThanOrEqual(4096);
});

const pieces = fc.array(
  fc.oneof(
    fc.string({ unit: "grapheme", maxLength: 12 }),
    fc.constantFrom(
      "**",
      "*",
      "_",
      "~~",
      "`",
      "```\n",
      "\n\n",
      "\n",
      "- ",
      "1. ",
      "> ",
      "# ",
      "[a](https://b.example)",
      "<b>",
      "&amp;",
      "| a | b |\n|---|---|\n",
      " ",
      "word ",
      "long words in a line. ".repeat(60),
    ),
  ),
  { maxLength: 60 },
);

test("any answer: each part fits, is not empty, and its HTML is balanced and says the same", () => {
  fc.assert(
    fc.property(
      pieces,
      fc.constantFrom(...channels.keys()),
      fc.constantFrom("markdown", "plain", "raw"),
      (some, name, format) => {
        const channel = name as ChannelName;
        const { max, unit } = channels.get(name)?.limits.text ?? { max: 0, unit: "units" as const };
        for (const { text, html } of written(channel, some.join(""), format as AnswerFormat)) {
          expect(text.trim()).not.toBe("");
          expect(lengthIn(unit, text)).toBeLessThanOrEqual(max);
          if (html !== undefined) expect(shownOf(html)).toBe(text);
        }
      },
    ),
    { numRuns: 300 },
  );
});

/** The text of Telegram's HTML. Throws for tags that aren't balanced. */
function shownOf(html: string): string {
  const open: string[] = [];
  const text = html.replace(/<(\/?)([a-z]+)(?: [a-z]+="[^"<>]*")?>/g, (_, slash: string, tag: string) => {
    if (slash === "") open.push(tag);
    else if (open.pop() !== tag) throw new Error(`${tag} is not open in ${html}`);
    return "";
  });
  if (open.length > 0 || /[<>]/.test(text)) throw new Error(`not balanced: ${html}`);
  return text
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&amp;", "&");
}

test.each([
  ["nested quotations", ">".repeat(30_000)],
  ["nested lists", "- ".repeat(16_000)],
  ["many marks", "*a".repeat(16_000)],
  ["a long text", "word ".repeat(20_000)],
])("%s stay as they are, because reading them takes too long", (_, text) => {
  const [first] = written("phone_messenger", `${text} **x**`);
  expect(text.startsWith(first?.text ?? "-")).toBe(true);
});
