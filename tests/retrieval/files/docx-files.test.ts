import { afterAll, describe, expect, test } from "bun:test";
import { deflateRawSync } from "node:zlib";
import { bytesOf, openDocumentReader, outcomeOf } from "../../support/document-reader.ts";
import { docxFile, docxOf } from "../../support/docx-file.ts";
import { type ZipPart, zipOf } from "../../support/zip-file.ts";

const reader = openDocumentReader();
afterAll(() => reader.close());
const read = (bytes: Uint8Array) => outcomeOf(reader, { bytes });
const withPart = (part: Partial<ZipPart>) =>
  docxOf("<w:p/>", {}, [{ name: "word/document.xml", content: "x", ...part }]);

test("headings, paragraphs, lists and tables keep their breaks, and the file tells of itself", async () => {
  const core = {
    "dc:title": "Wale & Delfine",
    "dc:creator": "A. Person",
    "dcterms:created": "2026-01-02T03:04:05Z",
  };
  const blocks = [
    { heading: "Whales" },
    "They are <mammals> & breathe.",
    { heading: "Kinds", level: 2 },
    { items: ["baleen", "toothed"] },
    { rows: [["name", "length"]] },
  ];
  expect(await read(docxFile(blocks, core))).toEqual({
    places: [
      { start: 0, section: "Whales" },
      { start: 37, section: "Kinds" },
    ],
    text: "Whales\n\nThey are <mammals> & breathe.\n\nKinds\n\n- baleen\n- toothed\n\nname | length",
    title: "Wale & Delfine",
    metadata: { title: "Wale & Delfine", author: "A. Person", created_at: "2026-01-02T03:04:05.000Z" },
  });
});

test("pictures are left out without being unpacked", async () => {
  const drawing = `<w:p><w:r><w:t>Words.</w:t></w:r><w:r><w:pict><v:imagedata xmlns:v="urn:schemas-microsoft-com:vml" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" r:id="rId9"/></w:pict></w:r></w:p>`;
  const image: ZipPart = { name: "word/media/a.png", content: "png", size: 2 ** 31, packed: bytesOf("?") };
  const relations: ZipPart = {
    name: "word/_rels/document.xml.rels",
    content: `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId9" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/image" Target="media/a.png"/></Relationships>`,
  };
  expect(await read(docxOf(drawing, {}, [image, relations]))).toMatchObject({ text: "Words." });
});

describe("an archive", () => {
  const bomb = deflateRawSync(Buffer.alloc(1 << 26, 32));
  test.each<[string, Uint8Array, string]>([
    ["without its main part", zipOf([{ name: "[Content_Types].xml", content: "<Types/>" }]), "missing"],
    [
      "with one name twice",
      docxOf("<w:p/>", {}, [
        { name: "a", content: "1" },
        { name: "a", content: "2" },
      ]),
      "damaged",
    ],
    [
      "with a link",
      docxOf("<w:p/>", {}, [{ name: "a", content: "/etc/passwd", attributes: (0o120777 << 16) >>> 0 }]),
      "damaged",
    ],
    ["with parts that overlap", docxOf("<w:p/>", {}, [{ name: "a", content: "1", offset: 0 }]), "damaged"],
    ["with an encrypted part", withPart({ flags: 1 }), "protected by a password"],
    ["with another packing", withPart({ method: 12 }), "damaged"],
    ["that tells a smaller size than it has", withPart({ packed: bomb, size: 10 }), "damaged"],
    ["with a wrong checksum", withPart({ checksum: 1 }), "damaged"],
    ["with damaged packing", withPart({ packed: bytesOf("??????") }), "damaged"],
    ["that was cut off", docxFile(["Words."]).slice(0, 900), "damaged"],
    ["with junk behind", Buffer.concat([docxFile(["Words."]), bytesOf("junk")]), "damaged"],
    ["with XML that is none", withPart({ content: "<w:document" }), "damaged"],
    ["with invalid UTF-8", withPart({ content: Uint8Array.of(0x3c, 0xff) }), "unknown encoding"],
    [
      "with entities of its own",
      withPart({ content: '<!DOCTYPE a [<!ENTITY b "ha"><!ENTITY c "&b;&b;">]><a>&c;</a>' }),
      "document type",
    ],
    [
      "with a file of this machine as an entity",
      withPart({ content: '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>' }),
      "document type",
    ],
    ["nested beyond measure", docxOf("<w:p>".repeat(200_000) + "</w:p>".repeat(200_000)), "damaged"],
    ["of nothing but blanks", docxOf(" ".repeat(1_000_000)), "no text"],
  ])("%s is refused", async (_, bytes, message) => {
    expect(await read(bytes)).toMatchObject({
      code: "document_unreadable",
      status: 422,
      message: expect.stringContaining(message),
    });
  });

  test.each([
    ["that is not a document", zipOf([{ name: "a.txt", content: "x" }])],
    ["that holds another one", zipOf([{ name: "inner.zip", content: zipOf([]) }])],
  ])("%s is 415 with the list", async (_, bytes) => {
    expect(await read(bytes)).toMatchObject({
      status: 415,
      message: expect.stringContaining("spreadsheetml"),
    });
  });

  test("that unpacks to more than it may is refused", async () => {
    const part = { content: Buffer.alloc(65 * 1024 * 1024, 32) };
    expect(await read(withPart(part))).toMatchObject({
      code: "document_too_large",
      message: expect.stringContaining("64 MiB unpacked; split it"),
    });
  });
});

const numbered = (text: string, level = 0, list = 1) =>
  `<w:p><w:pPr><w:numPr><w:ilvl w:val="${level}"/><w:numId w:val="${list}"/></w:numPr></w:pPr><w:r><w:t>${text}</w:t></w:r></w:p>`;
const level = (at: number, format: string, text: string, start = 1) =>
  `<w:lvl w:ilvl="${at}"><w:start w:val="${start}"/><w:numFmt w:val="${format}"/><w:lvlText w:val="${text}"/></w:lvl>`;
const lists: ZipPart = {
  name: "word/numbering.xml",
  content: `<w:numbering xmlns:w="x"><w:abstractNum w:abstractNumId="0">${level(0, "decimal", "%1.")}${level(1, "lowerLetter", "(%2)")}${level(2, "upperRoman", "%1.%3")}</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/></w:lvlOverride></w:num></w:numbering>`,
};

test("clauses have the numbers that Word shows: resumed, restarted, with letters and Roman numbers", async () => {
  const body = [
    numbered("Scope"),
    "<w:p><w:r><w:t>Between.</w:t></w:r></w:p>",
    numbered("Notice"),
    numbered("by letter", 1),
    numbered("by courier", 1),
    numbered("deep", 2),
    numbered("Deposit"),
    numbered("by hand", 1),
    numbered("Annex", 0, 2),
    numbered("More", 0, 2),
  ].join("");
  expect(await read(docxOf(body, {}, [lists]))).toMatchObject({
    text: "1. Scope\n\nBetween.\n\n2. Notice\n  (a) by letter\n  (b) by courier\n    2.I deep\n3. Deposit\n  (a) by hand\n1. Annex\n2. More",
  });
});

test("equations become LaTeX, and hidden and deleted text is left out and said", async () => {
  const m = (tag: string, text: string) => `<m:${tag}><m:r><m:t>${text}</m:t></m:r></m:${tag}>`;
  const body = `<w:p><w:r><w:t xml:space="preserve">x = </w:t></w:r><m:oMath><m:f>${m("num", "a")}${m("den", "2")}</m:f></m:oMath><w:r><w:rPr><w:vanish/></w:rPr><w:t>secret</w:t></w:r><w:del><w:r><w:delText>old</w:delText></w:r></w:del><w:ins><w:r><w:t> new</w:t></w:r></w:ins></w:p>`;
  expect(await read(docxOf(body))).toMatchObject({
    text: "x = \\frac{a}{2} new",
    losses: [
      { kind: "equations", count: 1, detail: "1 equation kept as LaTeX" },
      { kind: "hidden", count: 1 },
      { kind: "deleted", count: 1 },
    ],
  });
});
