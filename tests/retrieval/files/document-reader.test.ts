import { afterAll, describe, expect, test } from "bun:test";
import { documentTypes } from "../../../src/contracts/daemon/rag/document-types.ts";
import { silentLogger } from "../../../src/kit/log.ts";
import { createDocumentReader } from "../../../src/retrieval/files/document-reader.ts";
import { bytesOf, openDocumentReader, outcomeOf } from "../../support/document-reader.ts";
import { docxFile } from "../../support/docx-file.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { pdfFile } from "../../support/pdf-file.ts";
import { zipOf } from "../../support/zip-file.ts";

const reader = openDocumentReader();
afterAll(() => reader.close());
const read = (bytes: Uint8Array, contentType?: string, name?: string) =>
  outcomeOf(reader, { bytes, contentType, name });

const pdf = pdfFile({ pages: [["Whales are mammals."]] });
const docx = docxFile(["Whales are mammals."]);
const pdfType = documentTypes.pdf.contentTypes[0];
const docxType = documentTypes.docx.contentTypes[0];

describe("what a file is", () => {
  test.each([
    ["its content type", pdf, pdfType, undefined],
    [
      "a content type with parameters in another case",
      bytesOf("Whales are mammals."),
      "Text/Plain; Charset=UTF-8",
      undefined,
    ],
    ["the first bytes of a PDF", pdf, undefined, undefined],
    ["the first bytes of a DOCX", docx, "application/octet-stream", "letter"],
    [
      "a PDF that something stands before",
      Buffer.concat([bytesOf("\n\nfrom the scanner\n"), pdf]),
      undefined,
      undefined,
    ],
    ["the ending of its name", bytesOf("<p>Whales are mammals."), "application/octet-stream", "A.HTM"],
    ["the doctype of a page without a name", bytesOf("<!DOCTYPE html><p>Whales are mammals."), "", undefined],
    ["nothing: it is plain text", bytesOf("Whales are mammals."), undefined, "README"],
  ])("is recognized by %s", async (_, bytes, contentType, name) => {
    expect(await read(bytes, contentType, name)).toMatchObject({ text: "Whales are mammals." });
  });

  test.each([
    ["a picture's type", bytesOf("x"), "image/png"],
    ["a form", bytesOf("x"), "multipart/form-data; boundary=x"],
    ["JSON", bytesOf("{}"), "application/json"],
    ["no type at all", bytesOf("x"), "nonsense"],
    ["the bytes of a picture", Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), undefined],
    [
      "the bytes of an old Word file",
      Buffer.from("\xd0\xcf\x11\xe0\xa1\xb1", "latin1"),
      "application/octet-stream",
    ],
    ["an empty archive", zipOf([]), undefined],
  ])("%s is 415, and the answer names what can be read", async (_, bytes, contentType) => {
    expect(await read(bytes, contentType)).toMatchObject({
      code: "unsupported_media_type",
      status: 415,
      message: expect.stringMatching(
        /text\/plain, text\/markdown, text\/html, application\/pdf, .*wordprocessingml/,
      ),
    });
  });

  test.each([
    ["a page as PDF", bytesOf("<!doctype html><p>x"), pdfType],
    ["a PDF as DOCX", pdf, docxType],
    ["a DOCX as text", docx, "text/plain"],
    ["a picture as Markdown", Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), "text/markdown"],
    ["nothing as PDF", new Uint8Array(), pdfType],
  ])("%s is 422 as unreadable", async (_, bytes, contentType) => {
    expect(await read(bytes, contentType)).toMatchObject({
      code: "document_unreadable",
      status: 422,
      message: expect.stringContaining("Send it with its own content type"),
    });
  });
});

describe("a text", () => {
  const utf16 = (text: string, bigEndian = false) => {
    const bytes = Buffer.from(`\ufeff${text}`, "utf16le");
    return bigEndian ? bytes.swap16() : bytes;
  };
  test.each([
    ["UTF-8 with its mark", bytesOf("\ufeffGrüße 👋"), "text/plain", "Grüße 👋"],
    ["UTF-16 by its mark", utf16("Grüße 👋"), "text/plain", "Grüße 👋"],
    ["UTF-16, the other way round", utf16("Grüße 👋", true), "text/plain; charset=utf-8", "Grüße 👋"],
    [
      "windows-1252 as declared",
      Buffer.from("Gr\xfc\xdfe \x80", "latin1"),
      "text/plain; charset=windows-1252",
      "Grüße €",
    ],
    ["ISO-2022-JP that nothing names", Buffer.from("\x1b$BF|K\\\x1b(B", "latin1"), undefined, "日本"],
    ["ISO-2022-KR that nothing names", Buffer.from("\x1b$)C\x0eGQ19\x0f", "latin1"), "text/plain", "한국"],
    ["HZ as declared", Buffer.from("~{VPND~}", "latin1"), "text/plain; charset=hz-gb-2312", "中文"],
    ["UTF-16 as declared by its old name", Buffer.from("日", "utf16le"), "text/plain; charset=unicode", "日"],
    [
      "a page that names UTF-16 by its old name",
      bytesOf("<meta charset=unicode><p>škoda"),
      "text/html",
      "škoda",
    ],
    ["right to left", bytesOf("שלום עולם"), "text/plain", "שלום עולם"],
    ["line ends of all kinds", bytesOf("a\r\nb\rc\n"), "text/plain", "a\nb\nc\n"],
    [
      "a page that names its charset",
      Buffer.from('<meta charset="iso-8859-2"><p>\xb9koda', "latin1"),
      "text/html",
      "škoda",
    ],
    ["a page that names nonsense", bytesOf('<meta charset="klingon"><p>škoda'), "text/html", "škoda"],
    [
      "a page whose header wins",
      bytesOf('<meta charset="iso-8859-2"><p>škoda'),
      "text/html; charset=utf-8",
      "škoda",
    ],
  ])("is read in %s", async (_, bytes, contentType, text) => {
    expect(await read(bytes, contentType)).toMatchObject({ text });
  });

  test.each([
    ["invalid UTF-8", Uint8Array.of(0x61, 0xff, 0x62), "text/plain", "not valid UTF-8"],
    ["a cut character", Uint8Array.of(0x61, 0xe2, 0x82), "text/markdown", "not valid UTF-8"],
    ["an odd half of UTF-16", Buffer.from("\xff\xfea", "latin1"), "text/plain", "not valid UTF-16LE"],
    ["an unknown charset", bytesOf("a"), "text/plain; charset=klingon", "charset klingon is unknown"],
    ["a wrong charset", Uint8Array.of(0xff), "text/html; charset=utf-8", "name its real charset"],
    ["NUL", bytesOf("a\0b"), "text/plain", "NUL"],
    ["UTF-32", Buffer.from("\xff\xfe\0\0a\0\0\0", "latin1"), "text/plain", "NUL"],
    ["no text", bytesOf(" \n\t "), "text/plain", "no text"],
    ["an empty file", new Uint8Array(), "text/markdown", "no text"],
    ["a page without text", bytesOf("<script>x</script>"), "text/html", "no text"],
  ])("with %s is refused", async (_, bytes, contentType, message) => {
    expect(await read(bytes, contentType)).toMatchObject({
      code: "document_unreadable",
      message: expect.stringContaining(message),
    });
  });

  test("that is large is read in the child and is the same", async () => {
    const text = `${"Ein langer Satz über Wale. ".repeat(60_000)}\n`;
    expect(await read(bytesOf(text), "text/plain")).toEqual({ text, metadata: {} });
  });

  test("of 64 MiB is 422", async () => {
    const bytes = new Uint8Array(64 * 1024 * 1024).fill(0x61);
    expect(await read(bytes, "text/plain")).toMatchObject({
      code: "document_too_large",
      status: 422,
      message: expect.stringContaining("16,777,216 characters of text; split it"),
    });
  });
});

describe("a title", () => {
  test.each([
    ["a page's own", "text/html", "<title>Wale &amp; Delfine</title><p>x", "Wale & Delfine"],
    ["front matter's", "text/markdown", "---\ntitle: Whales\n---\n# Other\n", "Whales"],
    ["the first heading", "text/markdown", "intro\n\n## The *whale* ##\n# Other\n", "The *whale*"],
    ["an underlined heading", "text/markdown", "Whales\n======\n", "Whales"],
    ["a heading behind a fence", "text/markdown", "```sh\n# comment\n```\n# Whales\n", "Whales"],
    ["a heading behind a longer fence", "text/markdown", "~~~~\n~~~\n# no\n~~~~\n# Whales\n", "Whales"],
  ])("is %s", async (_, contentType, source, title) => {
    expect(await read(bytesOf(source), contentType)).toMatchObject({ title, metadata: { title } });
  });

  test.each(["#hashtag\n", "    # code\n", "text\n", "```\n# a\n"])("%j has none", async (source) => {
    expect(await read(bytesOf(source), "text/markdown")).toEqual({ text: source, metadata: {} });
  });
});

describe("front matter", () => {
  test("becomes metadata and leaves the text", async () => {
    const source = "---\ntags: [sea, mammals]\nyear: 2026\ndate: 2026-01-02\n---\nWhales.\n";
    expect(await read(bytesOf(source), "text/markdown")).toEqual({
      text: "Whales.\n",
      metadata: { tags: ["sea", "mammals"], year: 2026, date: "2026-01-02" },
    });
  });

  test.each<[string, string, unknown]>([
    ["a number with too many digits", "n: 12345678901234567890", { n: "12345678901234567890" }],
    ["a number in a list", "n: [1, 1e999]", { n: [1, "1e999"] }],
    ["no number", "n: .nan\nm: -.inf", { n: ".nan", m: "-.inf" }],
    ["an alias without an anchor", "n: *starred", { n: "*starred" }],
    ["a tag", "n: !secret x", { n: "x" }],
    ["bytes", "n: !!binary aGk=", { n: "aGk=" }],
    ["a key that is given twice", "n: 1\nn: 2", { n: 1 }],
    ["a merge key", "<<: {a: 1}\nn: 2", { n: 2 }],
  ])("with %s keeps what it can", async (_, yaml, kept) => {
    const source = `---\n# a comment\n${yaml}\nlang: en\n---\n# Whales\n`;
    expect(await read(bytesOf(source), "text/markdown")).toEqual({
      text: "# Whales\n",
      places: [{ start: 0, section: "Whales" }],
      title: "Whales",
      metadata: { ...(kept as object), lang: "en", title: "Whales" },
    });
  });

  test.each([
    ["that is not YAML", "---\n# a comment\ntitle: Whales: a study\n---\n# Whales\n", "Whales"],
    ["that is not YAML, before a text without a heading", "---\n# a comment\na: [\n---\ntext\n", undefined],
    ["that is a text between two rules", "---\n# Whales\n\nA text.\n\n---\n# Owls\n", "Whales"],
    ["that is a heading between two rules", "---\n# Whales\n---\n# Owls\n", "Whales"],
  ])("%s stays text, without giving the title", async (_, source, title) => {
    const metadata = title === undefined ? {} : { title };
    expect(await read(bytesOf(source), "text/markdown")).toMatchObject({
      text: source,
      ...(title !== undefined && { title }),
      metadata,
    });
  });

  test.each([
    ["a list", "---\n- a\n---\nx"],
    ["no YAML", "---\na: [\n---\nx"],
    [
      "aliases that grow",
      `---\na: &a [1,1,1,1,1,1,1,1,1,1]\n${"b: [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\n"}---\nx`
        .replace("b:", "b: &b")
        .replace("---\nx", "c: [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\n---\nx"),
    ],
    ["a rule without an end", "---\na: 1\nx"],
  ])("that is %s stays text", async (_, source) => {
    expect(await read(bytesOf(source), "text/markdown")).toMatchObject({ text: source, metadata: {} });
  });
});

test("a call that is aborted ends at once, and the next is answered", async () => {
  const call = new AbortController();
  const stopped = reader.read({ bytes: pdf }, call.signal).catch((thrown) => thrown);
  const reason = new Error("gone");
  call.abort(reason);
  expect(await stopped).toBe(reason);
  expect(await read(pdf)).toMatchObject({ text: "Whales are mammals." });
});

test("calls at once are answered one after the other, each with its own file", async () => {
  const pages = Array.from({ length: 20 }, (_, index) => `This is file ${index}.`);
  const all = await Promise.all(pages.map((line) => read(pdfFile({ pages: [[line]] }))));
  expect(all.map((document) => "text" in document && document.text)).toEqual(pages);
});

test("a child that can't be started is 503, not a fault of the file", async () => {
  const options = { clock: new FakeClock(), log: silentLogger };
  for (const childCommand of [["/nonexistent/argosy"], [process.execPath, "-e", "process.exit(1)"]]) {
    const broken = createDocumentReader({ ...options, childCommand });
    expect(await outcomeOf(broken, { bytes: pdf })).toMatchObject({
      code: "document_reader_unavailable",
      status: 503,
    });
  }
});

describe("files that take long", () => {
  /** Answers for small files at once, and never for others. */
  const program = `process.stdout.write("\\n");
    for await (const chunk of Bun.stdin.stream()) {
      const [, bytes] = /"bytes":(\\d+)/.exec(new TextDecoder().decode(chunk)) ?? [];
      if (Number(bytes) < 100) console.log('{"document": {"text": "Whales", "metadata": {}}}');
    }`;
  const quick = bytesOf("%PDF-1.4");
  const slow = bytesOf(`%PDF-1.4 ${"x".repeat(1000)}`);

  function setUp() {
    const clock = new FakeClock();
    const command = [process.execPath, "-e", program];
    const made = createDocumentReader({ childCommand: command, clock, log: silentLogger });
    const leave = new AbortController();
    const send = (bytes: Uint8Array, owner: string) => made.read({ bytes }, leave.signal, owner);
    return { clock, made, leave, send };
  }

  test("make way for other owners, and leave a reader for their quick files", async () => {
    const { clock, made, leave, send } = setUp();
    await Promise.all([send(quick, "a"), send(quick, "b")]);
    const ends = ["a", "b"].map((owner) => send(slow, owner).catch((thrown: unknown) => thrown));
    let isRead = false;
    const waiting = send(quick, "c").then((document) => {
      isRead = true;
      return document;
    });
    await clock.advance(4_900);
    expect(isRead).toBe(false);
    await clock.advance(200);
    expect((await waiting).text).toBe("Whales");
    // One of the slow files has a reader for its full time now.
    for (const owner of ["c", "d", "e"]) expect((await send(quick, owner)).text).toBe("Whales");
    leave.abort(new Error("gone"));
    await Promise.all(ends);
    made.close();
  });

  test("are not stopped while no other owner waits", async () => {
    const { clock, made, leave, send } = setUp();
    await send(quick, "a");
    const end = send(slow, "a").catch((thrown: unknown) => thrown);
    const next = send(quick, "a");
    await clock.advance(19_000);
    expect(clock.pending).toBeGreaterThan(0);
    await clock.advance(2_000);
    expect(await end).toMatchObject({ code: "document_too_large" });
    expect((await next).text).toBe("Whales");
    leave.abort(new Error("gone"));
    made.close();
  });
});
