import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { decodeBody } from "../../../src/kit/html/decode-body.ts";
import { HtmlScanner } from "../../../src/kit/html/html-scanner.ts";
import { PageText } from "../../../src/kit/html/page-text.ts";
import { readPage, reversedLists } from "../../../src/kit/html/read-page.ts";
import { growth } from "../../support/growth.ts";

const { signal } = new AbortController();

/** Reads a page in steps of `chars`. */
function read(html: string, chars = Number.POSITIVE_INFINITY, charsMax = 1_000_000): PageText {
  const page = new PageText(charsMax, reversedLists(html));
  const scanner = new HtmlScanner(html, page);
  while (scanner.step(chars));
  return page;
}

const textOf = (html: string) => read(html).pageText;

describe("pages", () => {
  const folder = join(import.meta.dir, "fixtures/pages");
  for (const name of readdirSync(folder).filter((name) => name.endsWith(".html"))) {
    test(name, async () => {
      const expected = readFileSync(join(folder, name.replace(".html", ".txt")), "utf8");
      const html = decodeBody(readFileSync(join(folder, name)), undefined, true);
      const { title, text, length } = await readPage(html, 10_000, signal);
      expect(`${title}\n====\n${text}\n`).toBe(expected);
      expect(length).toBe(text.length);
    });
  }
});

describe("layout", () => {
  test.each([
    [
      "blocks stand on lines, paragraphs apart",
      "<div>a</div><div>b</div><p>c</p><p>d</p>e",
      "a\nb\n\nc\n\nd\n\ne",
    ],
    ["spaces run together", "  a \n\t b&nbsp; c <b> d </b> ", "a b c d"],
    ["a break ends a line, two leave one empty", "a<br>b<br><br><br><br>c", "a\nb\n\nc"],
    ["words that tags split stay whole", "un<b>believ</b>able", "unbelievable"],
    ["lists", "<ul><li>a<li>b<ul><li>c</ul><li>d</ul>", "- a\n- b\n  - c\n- d"],
    ["numbered lists", "<ol><li>a</li><li></li><li>c</li></ol>", "1. a\n3. c"],
    ["lists with a start and values", "<ol start=4><li>a<li value=9>b<li>c</ol>", "4. a\n9. b\n10. c"],
    [
      "lists with letters and Roman numbers",
      "<ol type=a start=26><li>x<li>y<ol type=I start=4><li>z</ol></ol>",
      "z. x\naa. y\n  IV. z",
    ],
    ["an item with a type of its own", "<ol><li type=A>a<li>b</ol>", "A. a\n2. b"],
    ["lists that count down from a start", "<ol reversed start=2><li>a<li>b</ol>", "2. a\n1. b"],
    ["lists that count down from their length", "<ol reversed><li>a<li>b</ol>", "2. a\n1. b"],
    [
      "lists in lists that count down",
      "<ol reversed><li>a<ol reversed type=a><li>b<li>c<!--<li>--></ol><li>d</ol>",
      "2. a\n  b. b\n  a. c\n1. d",
    ],
    ["raised numbers", "10<sup>6</sup> m<sup>2</sup>, 12<sup>th</sup>", "10⁶ m², 12th"],
    ["boxes", "<p><input type=checkbox checked>cash<input type=radio>card<input value=x>", "☒ cash ☐ card"],
    ["tables", "<table><tr><th>a<th>b<tr><td>1<td>2</table>", "a | b\n1 | 2"],
    ["empty cells keep their place", "<table><tr><td><td>b<td><td>d<tr><td>x</table>", "| b |  | d\nx"],
    ["a paragraph in a cell stays in its row", "<table><tr><td><p>a</p><td><div>b</div></table>", "a | b"],
    ["a table in a cell", "<table><tr><td>a<table><tr><td>b<td>c</table><td>d</table>", "a\n\nb | c | d"],
    ["preformatted text", "<pre>\n a\n\n\n  b\t</pre>c", " a\n\n\n  b\t\n\nc"],
    ["breaks of any kind in it", "<pre>a\r\nb\rc</pre>", "a\nb\nc"],
    ["terms", "<dl><dt>a<dd>b<dt>c<dd>d</dl>", "a\nb\nc\nd"],
    ["options", "<select><option>a<option>b</select>", "a\nb"],
    ["what a form holds", "<textarea>\na &lt;b>\n</textarea>", "a <b>"],
    ["only spaces", " \n<p> </p>&nbsp;", ""],
    [
      "references",
      "&eacute;&#128;&#x1f600&copy 2026 &notit; &amplt; &nosuchname;",
      "é€😀© 2026 ¬it; &lt; &nosuchname;",
    ],
  ])("%s", (_, html, text) => expect(textOf(html)).toBe(text));
});

describe("what is not seen", () => {
  test.each([
    ["scripts and styles", "a<script>if(a<b)x</script><style>p{}</style>b"],
    ["a script that writes an end tag in its comment", "a<script><!--<script></script>x--></script>b"],
    ["a script whose comment is not closed", "a<script><!-- x </script>b"],
    ["comments of every kind", "a<!-- <p>x</p> --><!--><!---><!--x--!><!x><?x?></3>b"],
    ["`hidden`", "a<span hidden>x<b>x</b></span>b"],
    ["`hidden` of any value", 'a<div HIDDEN="until-found">x</div>b'],
    ["a hidden one in a hidden one", "a<p hidden>x<span hidden>x</span>x</p>b"],
    ["`display: none`", "a<i style='color:red;DISPLAY : None !important'>x</i>b"],
    ["`display: none` spelt with references and comments", 'a<i style="dis&#112;lay:/*y*/none">x</i>b'],
    ["`visibility: hidden`", "a<i style=visibility:hidden>x</i>b"],
    [
      "noscript, iframes and templates",
      "a<noscript><p>x</noscript><iframe>x</iframe><template>x</template>b",
    ],
    ["drawings", "a<svg><title>x</title><style>.y{}</style><text>x</text></svg>b"],
    [
      "what players and canvases show in their place",
      "a<video>x</video><canvas>x</canvas><object>x</object>b",
    ],
    ["a dialog that is not open", "a<dialog>x</dialog>b"],
    ["invisible characters", "a\u200b\u00ad\ufeff\u2060\u{e0069}\u{e0067}\0\u0007&#8203;b"],
    ["a page's own title and head", "<head><title>x</title><meta name=y content=x></head>a<title>x</title>b"],
    ["what is hidden until the cell ends", "<table><tr><td>a<div hidden>x</td></table>b"],
    ["what is hidden until the next item begins", "<ul><li>a<li hidden>x<li>b</ul>"],
    ["a tag that the end cuts off", "ab<p title='x"],
    ["a script without an end", "ab<script>x<p>x"],
    ["a comment without an end", "ab<!-- x <p>x"],
  ])("%s", (_, html) => {
    expect(textOf(html).replaceAll(/[\s-]/g, "")).toBe("ab");
    expect(textOf(html)).not.toContain("x");
  });

  test.each([
    ["a stray `<`", "1 < 2 <= 3 << 4 <", "1 < 2 <= 3 << 4 <"],
    ["what an end tag in the line can't close", "<div><span>a</div>b</span>c", "a\nbc"],
    ["a formatting end tag inside of a block", "<b hidden>x<div>x</b>a</div>b", "ab"],
    ["HTML that breaks out of a drawing", "<svg><g><p>a", "a"],
    ["a page that hides itself until its script has run", "<html hidden><body style=display:none>a", "a"],
    ["an open dialog", "<dialog open>a</dialog>", "a"],
    ["what was hidden and is shown again", "<i style='display:none;display:block'>a</i>", "a"],
    ["an emoji of several", "👩‍👩‍👧 a", "👩‍👩‍👧 a"],
    ["elements that nobody knows", "<my-card><x:y>a</x:y></my-card>", "a"],
    ["end tags that nothing began", "</div>a</b></td></table></p>b</br>c", "a\n\nb\nc"],
    ["what stands behind the end of the page", "<body>a</body></html>b", "ab"],
    ["all that follows `<plaintext>`", "<plaintext>a</plaintext><b>", "a</plaintext><b>"],
  ])("shows %s", (_, html, text) => expect(textOf(html)).toBe(text));

  test("the first title counts, with references, on one line", () => {
    const page = read("<svg><title>no</title></svg><TITLE>\n A &amp; <b>B</b>\n</TITLE><title>C</title>");
    expect(page.pageTitle).toBe("A & <b>B</b>");
  });
});

test("the text is cut to its length, never within a character, and counted whole", () => {
  const page = read(`<p>${"😀".repeat(10)}</p><p>more</p>`, undefined, 5);
  expect([page.pageText, page.length]).toEqual(["😀😀", 26]);
});

const soup = fc.array(
  fc.constantFrom(
    ..."a,b c,&amp;,&am,&#x1F600;,😀,<,>,</,<!--,-->,--!>,<![CDATA[,<?,\",',=,/,\n, ,<p>,</p>,<b>,</b>".split(
      ",",
    ),
    ..."<div hidden>|</div>|<pre>|</pre>|<td>|<tr>|<table>|</table>|<li>|<ul>|</ul>|<ol>|<svg>|</svg>".split(
      "|",
    ),
    ..."<script>|</script>|<style>|</style>|<title>|</title>|<textarea>|</textarea>|<a href='|<i style=".split(
      "|",
    ),
    ..."display:none|<br>|<select>|<option>|<template>|</template>|<rt>|<xmp>|</xmp>|<noscript>|hidden".split(
      "|",
    ),
  ),
  { maxLength: 40 },
);

test("how a page is cut into steps changes nothing", () => {
  fc.assert(
    fc.property(soup, fc.integer({ min: 1, max: 7 }), (pieces, chars) => {
      const html = pieces.join("");
      const [whole, stepped] = [read(html), read(html, chars)];
      expect([stepped.pageTitle, stepped.pageText]).toEqual([whole.pageTitle, whole.pageText]);
    }),
    { numRuns: 1500 },
  );
});

/** Pages designed against scrapers, of any length. */
const hostile: Record<string, (times: number) => string> = {
  "redos-008: <script": (times) => "<script".repeat(times),
  "redos-009: <": (times) => "<".repeat(times),
  "redos-003: spaces": (times) => `x${" ".repeat(times)}x`,
  "bombs_and_parsers-016: <div> in <div>": (times) => "<div>".repeat(times),
  "<script>": (times) => "<script>".repeat(times),
  "<script><!--": (times) => `<script>${"<!--<script></script>".repeat(times)}`,
  "</script without >": (times) => `<script>${"</script ".repeat(times)}`,
  "<!--": (times) => "<!--".repeat(times),
  "comments with an odd end": (times) => "<!--x--!>".repeat(times),
  "comments with the usual end": (times) => "<!--x-->".repeat(times),
  "attributes without an end": (times) => '<a href="'.repeat(times),
  "one tag of attributes": (times) => `<a ${"b='c' ".repeat(times)}`,
  "one long name": (times) => `<${"a".repeat(times)}`,
  "one long style": (times) => `<a style="${"display:none;/**/".repeat(times)}">`,
  "<b> closed in no order": (times) => `${"<b><i>".repeat(times)}${"</b></i></u>".repeat(times)}`,
  "end tags that reach nothing": (times) => `<i><div>${"<b>".repeat(times)}${"</i>".repeat(times)}`,
  "<a> around <div>": (times) => "<a><div></a>".repeat(times),
  "<p>": (times) => "<p>".repeat(times),
  "lists in lists": (times) => "<ul><li>x".repeat(times),
  "tables in tables": (times) => "<table><tr><td>x".repeat(times),
  cells: (times) => `<table>${"<td>".repeat(times)}x`,
  "<svg><p>": (times) => "<svg><p>".repeat(times),
  "<ruby><rt>": (times) => "<ruby><rt>".repeat(times),
  "names that are made up": (times) => Array.from({ length: times }, (_, index) => `<x${index}>`).join(""),
  "&": (times) => "&".repeat(times),
  "&amp;": (times) => "&amp;".repeat(times),
  "&ampampamp": (times) => `&${"amp".repeat(times)}`,
  "&#1111": (times) => `&#${"1".repeat(times)}`,
  "references of 31 letters": (times) => `&${"a".repeat(31)}`.repeat(times),
  "line breaks in <pre>": (times) => `<pre>a${"\n".repeat(times)}b`,
  "soft hyphens": (times) => "a\u00ad".repeat(times),
};

describe("a page against scrapers takes time in proportion to its length:", () => {
  for (const [name, recipe] of Object.entries(hostile)) {
    test(name, () => expect(growth(recipe, (html) => read(html, 65_536), 10_000)).toBeLessThan(3));
  }
});

test("5 MB of it are read with turns for others in between", async () => {
  for (const name of [
    "redos-008: <script",
    "bombs_and_parsers-016: <div> in <div>",
    "&amp;",
    "lists in lists",
  ]) {
    const recipe = hostile[name] ?? String;
    const html = recipe(Math.ceil(5_242_880 / recipe(1).length));
    let turns = 0;
    let isOver = false;
    const count = () => {
      turns++;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    const { text } = await readPage(html, 10_000, signal);
    isOver = true;
    expect(text.length).toBeLessThanOrEqual(10_000);
    // A tag that is never closed takes one turn; text and tags take one per 64 Ki characters.
    if (name !== "redos-008: <script") expect(turns).toBeGreaterThan(50);
  }
});

test("a million elements in each other", () => {
  const page = read(`${"<div>".repeat(1_000_000)}deep${"</div>".repeat(1_000_000)}out`);
  expect(page.pageText).toBe("deep\nout");
});

test("reading stops when the caller is gone", async () => {
  const caller = new AbortController();
  const reading = readPage("<p>x".repeat(100_000), 10, caller.signal);
  caller.abort(new Error("gone"));
  expect(reading).rejects.toThrow("gone");
});
