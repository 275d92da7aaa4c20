import { type FormattedText, LayoutWriter, type MarkedSpan } from "./formatted-text.ts";

/** What the text itself shows where a channel has no mark of its own. */
export interface TextForms {
  bullet: string;
  /** Begins each line of a quotation; undefined if it is a span. */
  quote: string | undefined;
  /** True if links are spans; otherwise their addresses follow in parentheses. */
  hasLinks: boolean;
}

/** Longer texts stay as they are: nobody reads them in a chat, and reading them would hold up others. */
const charsMax = 32 * 1024;
/** Each level of nested lists and quotations costs another pass over their text. */
const tooNested = /^(?:[^\S\n]*(?:>|[-+*][^\S\n]|\d{1,9}[.)][^\S\n])){16}/m;
/** Each mark may be a span. */
const marksMax = 4_000;

/** Control characters take the place of nodes while Bun's parser puts texts together, so they may not come from outside. */
const controls = /[^\P{Cc}\t\n]/gu;
const [nodeStart, nodeEnd, star, tilde] = ["\u0001", "\u0002", "\u0003", "\u0004"];
const nodePattern = new RegExp(`${nodeStart}(\\d+)${nodeEnd}`);
const nodesPattern = new RegExp(nodePattern, "g");

/** These are sums and ranges, such as 2*3*4 and 5~6, which the parser would take for marks. */
const betweenDigits = /(?<=\d)[*~]{1,2}(?=\d)/g;
const hidden = (signs: string) => signs.replaceAll("*", star).replaceAll("~", tilde);
const restored = (text: string) => text.replaceAll(star, "*").replaceAll(tilde, "~").replace(controls, "");

type Node = (writer: LayoutWriter) => void;

/** Reads Markdown. A text that costs too much to read, or with which the parser can't do anything, stays as it is. */
export function readMarkdown(source: string, forms: TextForms): FormattedText {
  const text = source.replace(/\r\n?/g, "\n").replace(controls, "");
  const marks = text.match(/[*_~[`<]/g)?.length ?? 0;
  if (text.length > charsMax || marks > marksMax || tooNested.test(text))
    return { text: text.trim(), spans: [] };
  const nodes: Node[] = [];
  const parts = Bun.markdown
    .render(text.replace(betweenDigits, hidden), callbacks(nodes, forms), {
      tables: true,
      strikethrough: true,
      tasklists: true,
      autolinks: true,
      noHtmlBlocks: true,
    })
    .split(nodePattern);
  const writer = new LayoutWriter();
  for (const [index, part] of parts.entries()) {
    if (index % 2 === 0) writer.write(part);
    else nodes[Number(part)]?.(writer);
  }
  const formatted = writer.end();
  return formatted.text === "" ? { text: text.trim(), spans: [] } : formatted;
}

/** Each callback gets what its children made, and returns it with the nodes that stand around it. */
function callbacks(nodes: Node[], { bullet, quote, hasLinks }: TextForms): Bun.markdown.RenderCallbacks {
  const node = (apply: Node): string => `${nodeStart}${nodes.push(apply) - 1}${nodeEnd}`;
  const close = node((writer) => writer.close());
  const line = node((writer) => writer.break(1));
  const blank = node((writer) => writer.break(2));
  const dedent = node((writer) => writer.dedent());
  const span = (kind: MarkedSpan["kind"], text: string, more: Pick<MarkedSpan, "href" | "language"> = {}) =>
    `${node((writer) => writer.open({ kind, ...more }))}${text}${close}`;
  const indented = (by: string, text: string) => `${node((writer) => writer.indent(by))}${text}${dedent}`;
  const linked = (text: string, address: string) => {
    const visible = text.replace(nodesPattern, "");
    const href = restored(address);
    if (!/^(?:https?:\/\/|mailto:|tel:)/i.test(href) || visible.trim() === "") return text || href;
    if (isSame(visible, href)) return text;
    return hasLinks ? span("link", text, { href }) : `${text} (${href.replace(/^(?:mailto|tel):/i, "")})`;
  };
  return {
    text: (text) => (/^<br\s*\/?>$/i.test(text) ? "\n" : restored(text)),
    strong: (text) => span("strong", text),
    emphasis: (text) => span("emphasis", text),
    strikethrough: (text) => span("strike", text),
    codespan: (text) => span("code", text),
    link: (text, { href }) => linked(text, href),
    image: (text, { src }) => linked(text || src, src),
    paragraph: (text) => `${text}${blank}`,
    heading: (text) => `${span("strong", text)}${blank}`,
    hr: () => `———${blank}`,
    code: (text, meta) =>
      `${line}${span("block", text.replace(/\n$/, ""), meta?.language === undefined ? {} : { language: meta.language })}${blank}`,
    blockquote: (text) =>
      `${line}${quote === undefined ? span("quote", text) : indented(quote, text)}${blank}`,
    list: (text, { depth }) => `${line}${text}${depth === 0 ? blank : line}`,
    listItem: (text, { ordered, start = 1, index, checked }) => {
      const task = checked === undefined ? "" : checked ? "☑ " : "☐ ";
      const sign = ordered ? `${start + index}. ` : task === "" ? bullet : "";
      return `${line}${sign}${task}${indented("  ", text)}${line}`;
    },
    th: (text) => `${text}${cellEnd}`,
    td: (text) => `${text}${cellEnd}`,
    tr: (text) => `${text.slice(0, -cellEnd.length)}${line}`,
    thead: (text) => span("strong", text),
    table: (text) => `${line}${text}${blank}`,
  };
}

const cellEnd = " | ";

/** True for a link that shows its own address. */
function isSame(visible: string, href: string): boolean {
  const bare = (address: string) => address.replace(/^(?:https?:\/\/|mailto:|tel:)/i, "").replace(/\/$/, "");
  return bare(visible.trim()) === bare(href);
}
