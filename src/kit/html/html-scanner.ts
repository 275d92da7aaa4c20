import { decodeHTML, decodeHTMLAttribute } from "entities/decode";

/** How an element's content is read: as plain text, as text with references, or as plain text up to the end of the page. */
export type ElementText = "raw" | "references" | "rest";

/** Receives the parts of a page in order. Comments, declarations and instructions are left out. */
export interface HtmlSink {
  /** Receives a piece of text. The text between two tags may come in several pieces. */
  text(text: string): void;
  /** Receives a start tag. Returns how to read the content if it is not markup. `attributes` is valid until the next tag. */
  start(name: string, attributes: ReadonlyMap<string, string>): ElementText | undefined;
  end(name: string): void;
}

/** Longer names belong to no element; the sink gets the empty name. */
const nameLengthMax = 64;

/** The attributes that are passed to a sink; the others are skipped. */
const attributesTold: ReadonlySet<string> = new Set([
  "hidden",
  "style",
  "open",
  "charset",
  "http-equiv",
  "content",
  "start",
  "value",
  "type",
  "reversed",
  "checked",
  "selected",
]);
const toldLengthMax = Math.max(...[...attributesTold].map(({ length }) => length));

/** How far a cut looks back for the start of a reference, so that no reference is split. No real reference is longer. */
const referenceLengthMax = 40;

const empty: ReadonlyMap<string, string> = new Map();

/** A tag whose attributes are being read. */
interface OpenTag {
  name: string;
  isEnd: boolean;
  attributes: Map<string, string>;
}

/** An element whose text is being read. `nested` is the state inside a script's own comment. */
interface TextElement {
  name: string;
  text: ElementText;
  nested: "no" | "comment" | "script";
}

/**
 * Splits a page into tags and text as browsers do, even if it is malformed. Works in steps of about the requested number of characters, and
 * reads each character a bounded number of times.
 */
export class HtmlScanner {
  readonly #html: string;
  readonly #sink: HtmlSink;
  #at = 0;
  /** Position of the next `<`; searched again only after it has been passed. */
  #markup = -1;
  /** Positions of the next `-->` and `--!>`, likewise. */
  #commentEnd = -1;
  #oddCommentEnd = -1;
  #tag: OpenTag | undefined;
  #element: TextElement | undefined;

  constructor(html: string, sink: HtmlSink) {
    this.#html = html;
    this.#sink = sink;
  }

  /** Continues for about this many characters. Returns false when nothing is left. */
  step(chars: number): boolean {
    const until = this.#at + chars;
    while (this.#at < until) {
      if (this.#at >= this.#html.length) return false;
      if (this.#tag !== undefined) this.#readAttributes(this.#tag, until);
      else {
        // At least the length of a reference.
        const end = Math.max(until, this.#at + referenceLengthMax);
        if (this.#element !== undefined) this.#readElementText(this.#element, end);
        else this.#readContent(end);
      }
    }
    return this.#at < this.#html.length;
  }

  #readContent(until: number): void {
    const html = this.#html;
    if (this.#markup < this.#at) this.#markup = indexOrEnd(html, "<", this.#at);
    if (this.#markup === this.#at) {
      if (this.#readMarkup()) return;
      // A `<` that begins no markup is text, and so are those directly after it.
      let next = this.#at + 1;
      while (next < until && html.charCodeAt(next) === 0x3c && !isMarkup(html, next)) next++;
      this.#markup = indexOrEnd(html, "<", next);
    }
    const end = this.#markup <= until ? this.#markup : this.#cutBefore(until);
    this.#sink.text(decodeHTML(html.slice(this.#at, end)));
    this.#at = end;
  }

  /** Returns where a piece of text may end: not inside a reference or a surrogate pair. */
  #cutBefore(until: number): number {
    const html = this.#html;
    const end = Math.min(until, html.length);
    const behind = html.slice(Math.max(this.#at + 1, end - referenceLengthMax), end);
    const ampersand = behind.lastIndexOf("&");
    if (ampersand !== -1 && !behind.includes(";", ampersand)) return end - behind.length + ampersand;
    const isHalf = isHighSurrogate(html.charCodeAt(end - 1)) && end - 1 > this.#at;
    return isHalf ? end - 1 : end;
  }

  /** Reads the markup that begins with the `<` here, up to a tag's attributes. Returns false if no markup begins here. */
  #readMarkup(): boolean {
    const html = this.#html;
    const code = html.charCodeAt(this.#at + 1);
    if (isLetter(code)) this.#openTag(this.#at + 1, false);
    else if (code === 0x2f) {
      const next = html.charCodeAt(this.#at + 2);
      if (isLetter(next)) this.#openTag(this.#at + 2, true);
      else if (Number.isNaN(next)) return false;
      else this.#at = behindNext(html, ">", this.#at + 2);
    } else if (code === 0x21 && html.startsWith("--", this.#at + 2)) this.#skipComment();
    else if (code === 0x21 || code === 0x3f) this.#at = behindNext(html, ">", this.#at + 2);
    else return false;
    return true;
  }

  /** Skips a comment. It ends with `-->` or `--!>`; `<!-->` is a complete comment. */
  #skipComment(): void {
    const html = this.#html;
    if (this.#commentEnd < this.#at + 2) this.#commentEnd = indexOrEnd(html, "-->", this.#at + 2);
    if (this.#oddCommentEnd < this.#at + 4) this.#oddCommentEnd = indexOrEnd(html, "--!>", this.#at + 4);
    const isUsual = this.#commentEnd < this.#oddCommentEnd;
    const end = isUsual ? this.#commentEnd + 3 : this.#oddCommentEnd + 4;
    this.#at = Math.min(end, html.length);
  }

  #openTag(nameAt: number, isEnd: boolean): void {
    const html = this.#html;
    let end = nameAt;
    while (end < html.length && !endsName(html.charCodeAt(end))) end++;
    const name = end - nameAt > nameLengthMax ? "" : html.slice(nameAt, end).toLowerCase();
    this.#tag = { name, isEnd, attributes: new Map() };
    this.#at = end;
  }

  /** Reads a tag's attributes. A tag that the page's end cuts off is ignored. */
  #readAttributes(tag: OpenTag, until: number): void {
    const html = this.#html;
    while (this.#at < until) {
      let at = this.#at;
      while (isSpace(html.charCodeAt(at)) || html.charCodeAt(at) === 0x2f) at++;
      this.#at = at;
      if (at >= html.length) return;
      if (html.charCodeAt(at) === 0x3e) {
        this.#at = at + 1;
        this.#tag = undefined;
        this.#closeTag(tag);
        return;
      }
      this.#readAttribute(tag.attributes);
    }
  }

  #readAttribute(attributes: Map<string, string>): void {
    const html = this.#html;
    const nameAt = this.#at;
    let at = nameAt + 1;
    while (at < html.length && html.charCodeAt(at) !== 0x3d && !endsName(html.charCodeAt(at))) at++;
    const nameEnd = at;
    while (isSpace(html.charCodeAt(at))) at++;
    let valueAt = at;
    let valueEnd = at;
    if (html.charCodeAt(at) === 0x3d) {
      at++;
      while (isSpace(html.charCodeAt(at))) at++;
      valueAt = at;
      const quote = html.charCodeAt(at);
      if (quote === 0x22 || quote === 0x27) {
        valueAt = at + 1;
        valueEnd = indexOrEnd(html, quote === 0x22 ? '"' : "'", valueAt);
        at = valueEnd + 1;
      } else {
        while (at < html.length && html.charCodeAt(at) !== 0x3e && !isSpace(html.charCodeAt(at))) at++;
        valueEnd = at;
      }
    }
    this.#at = Math.min(at, html.length);
    if (nameEnd - nameAt > toldLengthMax) return;
    const name = html.slice(nameAt, nameEnd).toLowerCase();
    // Of several attributes with one name, the first counts.
    if (!attributesTold.has(name) || attributes.has(name)) return;
    attributes.set(name, decodeHTMLAttribute(html.slice(valueAt, valueEnd)));
  }

  #closeTag({ name, isEnd, attributes }: OpenTag): void {
    if (isEnd) {
      this.#sink.end(name);
      return;
    }
    const text = this.#sink.start(name, attributes.size === 0 ? empty : attributes);
    if (text !== undefined) this.#element = { name, text, nested: "no" };
  }

  /** Reads text up to the element's own end tag. */
  #readElementText(element: TextElement, until: number): void {
    const html = this.#html;
    const from = this.#at;
    let end = Math.min(until, html.length);
    let isOver = false;
    for (let at = from; at < end && element.text !== "rest"; at++) {
      const code = html.charCodeAt(at);
      if (code === 0x3c) isOver = endsElement(html, at, element);
      else if (code === 0x2d && element.nested !== "no" && html.startsWith("-->", at)) element.nested = "no";
      if (isOver) end = at;
    }
    if (!isOver && element.text === "references") end = this.#cutBefore(end);
    if (isOver) this.#element = undefined;
    if (end === from) return;
    this.#at = end;
    const text = html.slice(from, end);
    this.#sink.text(element.text === "references" ? decodeHTML(text) : text);
  }
}

/**
 * Returns true if the `<` here begins the end tag of the element whose text is read. Inside its own comment, a script may contain
 * `</script>` after `<script`.
 */
function endsElement(html: string, at: number, element: TextElement): boolean {
  const { name } = element;
  if (html.charCodeAt(at + 1) === 0x2f && isNamed(html, at + 2, name)) {
    if (element.nested !== "script") return true;
    element.nested = "comment";
    return false;
  }
  if (name !== "script") return false;
  if (element.nested === "no" && html.startsWith("<!--", at)) {
    // `<!-->` is a complete comment.
    if (!html.startsWith("<!-->", at) && !html.startsWith("<!--->", at)) element.nested = "comment";
  } else if (element.nested === "comment" && isNamed(html, at + 1, name)) element.nested = "script";
  return false;
}

function isNamed(html: string, at: number, name: string): boolean {
  const end = at + name.length;
  return endsName(html.charCodeAt(end)) && html.slice(at, end).toLowerCase() === name;
}

function isMarkup(html: string, at: number): boolean {
  const code = html.charCodeAt(at + 1);
  return isLetter(code) || code === 0x2f || code === 0x21 || code === 0x3f;
}

function indexOrEnd(html: string, sought: string, from: number): number {
  const index = html.indexOf(sought, from);
  return index === -1 ? html.length : index;
}

function behindNext(html: string, sought: string, from: number): number {
  return Math.min(indexOrEnd(html, sought, from) + 1, html.length);
}

function endsName(code: number): boolean {
  return isSpace(code) || code === 0x2f || code === 0x3e;
}

function isSpace(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d && code !== 0x0b);
}

function isLetter(code: number): boolean {
  const letter = code | 0x20;
  return letter >= 0x61 && letter <= 0x7a;
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}
