import { superscript } from "../../../kit/text/superscript.ts";
import { attr, childOf, childrenOf, descendantsOf, textOf, type XmlNode } from "../../../kit/xml/xml-node.ts";
import { latexOf, latexOfParagraph } from "./math-latex.ts";
import { type DocxStyles, numberOf, toggle } from "./styles.ts";

/** State of the document that reading a paragraph uses and changes. */
export interface InlineScope {
  styles: DocxStyles;
  /** Fields that are open; a field may reach over several paragraphs. */
  fields: ("code" | "result")[];
  /** Notes that the paragraph names, and text boxes in it. */
  notes: { kind: "footnotes" | "endnotes"; id: string; mark: string }[];
  boxes: XmlNode[];
  noteMark(kind: "footnotes" | "endnotes", id: string): string;
  lose(kind: "equations" | "hidden" | "deleted" | "comments" | "pictures" | "objects" | "symbols"): void;
}

/** Elements that hold no text of the document. */
const silent: ReadonlySet<string> = new Set([
  "pPr",
  "rPr",
  "sdtPr",
  "sdtEndPr",
  "instrText",
  "delText",
  "delInstrText",
  "rt",
  "rubyPr",
  "ffData",
  "proofErr",
  "pict",
]);

/** Returns the text of a paragraph as it is shown: without deletions, hidden text and the codes of fields. */
export function inlineText(node: XmlNode, scope: InlineScope): string {
  let text = "";
  for (const child of childrenOf(node)) text += pieceOf(child, scope);
  return text;
}

function pieceOf(node: XmlNode, scope: InlineScope): string {
  switch (node.name) {
    case "r":
      return runText(node, scope);
    case "del":
    case "moveFrom":
      if ([...descendantsOf(node, "delText"), ...descendantsOf(node, "t")].length > 0) scope.lose("deleted");
      return "";
    case "sdt":
      return controlText(node, scope);
    case "oMath":
      scope.lose("equations");
      return latexOf(node);
    case "oMathPara":
      scope.lose("equations");
      return latexOfParagraph(node);
    case "commentReference":
      scope.lose("comments");
      return "";
    default:
      return elementText(node, scope);
  }
}

function elementText(node: XmlNode, scope: InlineScope): string {
  if (scope.fields.at(-1) === "code" && node.name !== "fldChar") return "";
  switch (node.name) {
    case "t":
      return textOf(node);
    case "tab":
    case "ptab":
      return "\t";
    case "br":
    case "cr":
      return "\n";
    case "noBreakHyphen":
      return "-";
    case "sym":
      return symbolOf(node, scope);
    case "fldChar":
      return fieldText(node, scope);
    case "footnoteReference":
      return noteText("footnotes", node, scope);
    case "endnoteReference":
      return noteText("endnotes", node, scope);
    case "AlternateContent":
      return inlineText(childOf(node, "Choice") ?? childOf(node, "Fallback") ?? node, scope);
    case "drawing":
    case "object":
    case "pict":
      return drawingText(node, scope);
    default:
      return silent.has(node.name) ? "" : inlineText(node, scope);
  }
}

function runText(node: XmlNode, scope: InlineScope): string {
  const properties = childOf(node, "rPr");
  const style = attr(childOf(properties, "rStyle"), "val");
  const byStyle =
    style === undefined ? undefined : scope.styles.find(style, ({ isHidden }) => isHidden)?.value;
  const isHidden = toggle(childOf(properties, "vanish")) ?? byStyle ?? false;
  const isRaised = attr(childOf(properties, "vertAlign"), "val") === "superscript";
  if (!isHidden) return isRaised ? superscript(inlineText(node, scope)) : inlineText(node, scope);
  if ([...descendantsOf(node, "t")].length > 0) scope.lose("hidden");
  return "";
}

/** A content control; a box that can be checked becomes one sign. */
function controlText(node: XmlNode, scope: InlineScope): string {
  const box = childOf(node, "sdtPr", "checkbox");
  if (box === undefined) return inlineText(childOf(node, "sdtContent") ?? node, scope);
  return boxSign(toggle(childOf(box, "checked")) ?? false);
}

function fieldText(node: XmlNode, { fields }: InlineScope): string {
  const type = attr(node, "fldCharType");
  if (type === "separate" && fields.length > 0) fields[fields.length - 1] = "result";
  if (type === "end") fields.pop();
  if (type !== "begin") return "";
  fields.push("code");
  const data = childOf(node, "ffData");
  const box = childOf(data, "checkBox");
  if (box !== undefined)
    return boxSign(toggle(childOf(box, "checked")) ?? toggle(childOf(box, "default")) ?? false);
  const list = childOf(data, "ddList");
  if (list === undefined) return "";
  const chosen =
    numberOf(attr(childOf(list, "result"), "val")) ?? numberOf(attr(childOf(list, "default"), "val")) ?? 0;
  return attr([...childrenOf(list, "listEntry")][chosen], "val") ?? "";
}

function noteText(kind: "footnotes" | "endnotes", node: XmlNode, scope: InlineScope): string {
  const id = attr(node, "id") ?? "";
  const mark = scope.noteMark(kind, id);
  scope.notes.push({ kind, id, mark });
  return `[${mark}]`;
}

/** The text boxes of a drawing follow their paragraph; its pictures are lost. */
function drawingText(node: XmlNode, scope: InlineScope): string {
  const boxes = [...descendantsOf(node, "txbxContent")];
  scope.boxes.push(...boxes);
  const hasPicture = [...descendantsOf(node, "blip"), ...descendantsOf(node, "imagedata")].length > 0;
  if (boxes.length === 0 && hasPicture) scope.lose("pictures");
  else if (boxes.length === 0 && node.name !== "pict") scope.lose("objects");
  return "";
}

export const boxSign = (isChecked: boolean) => (isChecked ? "☒" : "☐");

/** Signs of symbol fonts that people use as boxes, ticks and bullets. */
const symbolSigns: ReadonlyMap<string, string> = new Map([
  ["A8", "☐"],
  ["6F", "☐"],
  ["71", "☐"],
  ["FE", "☒"],
  ["FD", "☒"],
  ["78", "☒"],
  ["52", "☑"],
  ["FC", "✓"],
  ["FB", "✗"],
  ["B7", "•"],
  ["E0", "→"],
]);

/** Greek letters at the places of Latin ones, from `A` to `z`, in the font Symbol; and its signs of formulas. */
const greek = "ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ";
const formulaSigns: ReadonlyMap<string, string> = new Map([
  ["A3", "≤"],
  ["A5", "∞"],
  ["AE", "→"],
  ["B0", "°"],
  ["B1", "±"],
  ["B3", "≥"],
  ["B4", "×"],
  ["B8", "÷"],
  ["B9", "≠"],
  ["BA", "≡"],
  ["BB", "≈"],
  ["C7", "∩"],
  ["C8", "∪"],
  ["CE", "∈"],
  ["D6", "√"],
  ["D7", "⋅"],
  ["E5", "∑"],
  ["F2", "∫"],
]);

function symbolOf(node: XmlNode, scope: InlineScope): string {
  const code = (attr(node, "char") ?? "").toUpperCase();
  const point = Number.parseInt(code, 16);
  const isOwn = code.length < 4 || code.startsWith("F0");
  const isFormula = isOwn && attr(node, "font")?.trim().toLowerCase() === "symbol";
  const sign = isFormula
    ? ([...greek][(point & 0xff) - 0x41] ??
      formulaSigns.get(code.slice(-2)) ??
      symbolSigns.get(code.slice(-2)))
    : isOwn
      ? symbolSigns.get(code.slice(-2))
      : undefined;
  if (sign !== undefined) return sign;
  if (isFormula && (point & 0xff) < 0x41) return String.fromCodePoint(point & 0xff);
  if (point >= 0x20 && point < 0xd800) return String.fromCodePoint(point);
  scope.lose("symbols");
  return "";
}
