import { attr, childOf, childrenOf, descendantsOf, textOf, type XmlNode } from "../../../kit/xml/xml-node.ts";
import type { ReadDocument } from "../document-file.ts";
import { counted, DocumentWriter } from "../document-writer.ts";
import { coreProperties } from "../packed/core-properties.ts";
import { readPart, readPartIfAny, relationsOf } from "../packed/xml-parts.ts";
import type { ZipArchive } from "../packed/zip-archive.ts";
import { relationId } from "../sheets/read-xlsx.ts";

/** Reads the slides of a PPTX with their notes. Throws AppError `document_unreadable` or `document_too_large`. */
export function readPptx(archive: ZipArchive): ReadDocument {
  const main =
    [...relationsOf(archive, "").values()].find(({ type }) => type === "officeDocument")?.target ??
    "ppt/presentation.xml";
  const relations = relationsOf(archive, main);
  const writer = new DocumentWriter();
  let slides = 0;
  for (const entry of childrenOf(childOf(readPart(archive, main), "sldIdLst"), "sldId")) {
    const part = relations.get(relationId(entry))?.target ?? "";
    if (!archive.has(part)) continue;
    writer.page(++slides);
    writer.section(undefined);
    writeSlide(writer, readPart(archive, part));
    const notes = [...relationsOf(archive, part).values()].find(({ type }) => type === "notesSlide");
    if (notes !== undefined) writeNotes(writer, readPartIfAny(archive, notes.target));
  }
  const { title, ...metadata } = coreProperties(readPartIfAny(archive, "docProps/core.xml"));
  return { ...writer.read(), metadata: { ...metadata, slides }, ...(title !== undefined && { title }) };
}

function writeSlide(writer: DocumentWriter, slide: XmlNode): void {
  const tree = childOf(slide, "cSld", "spTree");
  const shapes = [...shapesOf(tree, 0)];
  const isTitle = (shape: XmlNode) => ["title", "ctrTitle"].includes(placeholderOf(shape) ?? "");
  // The title comes first, wherever it stands in the file.
  for (const shape of shapes.filter(isTitle)) writer.heading(linesOf(childOf(shape, "txBody")).join(" "));
  for (const shape of shapes) {
    if (shape.name === "pic") writer.lose("pictures", 1, (count) => `${counted(count, "picture")} not read`);
    if (shape.name === "graphicFrame") writeFrame(writer, shape);
    const place = placeholderOf(shape);
    if (isTitle(shape) || place === "sldNum" || place === "dt") continue;
    const lines = linesOf(childOf(shape, "txBody"));
    if (lines.length > 0) writer.paragraph(lines.join("\n"));
  }
}

function writeFrame(writer: DocumentWriter, frame: XmlNode): void {
  const [table] = [...descendantsOf(frame, "tbl")];
  if (table === undefined) {
    writer.lose("charts", 1, (count) => `${counted(count, "chart or diagram")} not read`);
    return;
  }
  writer.gap();
  for (const row of childrenOf(table, "tr"))
    writer.line(
      [...childrenOf(row, "tc")].map((cell) => linesOf(childOf(cell, "txBody")).join(" ")).join(" | "),
    );
  writer.gap();
}

function writeNotes(writer: DocumentWriter, notes: XmlNode | undefined): void {
  for (const shape of shapesOf(childOf(notes, "cSld", "spTree"), 0)) {
    if (placeholderOf(shape) !== "body") continue;
    const lines = linesOf(childOf(shape, "txBody"));
    if (lines.length > 0) writer.paragraph(`Notes: ${lines.join("\n")}`);
  }
}

/** Shapes in the order of the file, those in groups too. */
function* shapesOf(tree: XmlNode | undefined, depth: number): Generator<XmlNode> {
  for (const node of childrenOf(tree)) {
    const properties = childOf(
      node,
      `nv${node.name === "sp" ? "Sp" : node.name === "pic" ? "Pic" : "GraphicFrame"}Pr`,
      "cNvPr",
    );
    if (attr(properties, "hidden") === "1") continue;
    if (node.name === "grpSp" && depth < 50) yield* shapesOf(node, depth + 1);
    else if (node.name === "AlternateContent")
      yield* shapesOf(childOf(node, "Choice") ?? childOf(node, "Fallback"), depth + 1);
    else if (["sp", "pic", "graphicFrame"].includes(node.name)) yield node;
  }
}

const placeholderOf = (shape: XmlNode): string | undefined => {
  const place = childOf(shape, "nvSpPr", "nvPr", "ph");
  return place === undefined ? undefined : (attr(place, "type") ?? "obj");
};

/** Paragraphs of a text body. */
function linesOf(body: XmlNode | undefined): string[] {
  return [...childrenOf(body, "p")].map(paragraphText).filter((line) => line.trim() !== "");
}

function paragraphText(paragraph: XmlNode): string {
  let text = "";
  for (const node of childrenOf(paragraph)) {
    if (node.name === "br") text += "\n";
    else if (node.name === "r" || node.name === "fld") text += textOf(childOf(node, "t"));
  }
  return text;
}
