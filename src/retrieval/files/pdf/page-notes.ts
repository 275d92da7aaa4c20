import type { Losses } from "../document-writer.ts";
import { counted } from "../document-writer.ts";
import type { PageNote } from "./page-lines.ts";

/** An annotation as the library reports it; everything may be missing or of another type. */
export type Annotation = Readonly<Record<string, unknown>>;

const textCharsMax = 100_000;

/** Hidden and NoView (PDF 32000-1, 12.5.3). */
const unseenFlags = 2 | 32;

/** Values of form fields and notes written on a page, with their places. `losses` counts what was read and what can't be. */
export function pageNotes(annotations: readonly Annotation[], losses: Losses): PageNote[] {
  return annotations.flatMap((annotation) => {
    const rect = rectOf(annotation.rect);
    if (rect === undefined || (Number(annotation.annotationFlags) & unseenFlags) !== 0) return [];
    const text = annotation.subtype === "Widget" ? fieldValue(annotation) : noteText(annotation);
    if (text === undefined || text.trim() === "") return [];
    if (annotation.subtype === "Widget")
      losses.add("form_fields", 1, (count) => `${counted(count, "form field")} read`);
    else losses.add("notes", 1, (count) => `${counted(count, "note")} read`);
    const label =
      annotation.subtype === "Widget"
        ? (textOf(annotation.alternativeText) ?? textOf(annotation.fieldName) ?? "")
        : "";
    return [{ text: text.slice(0, textCharsMax), rect, label: oneLine(label) }];
  });
}

/** Returns the ids of signatures that are drawn on the page. */
export function signatureIds(annotations: readonly Annotation[]): string[] {
  return annotations
    .filter(({ fieldType, hasAppearance }) => fieldType === "Sig" && hasAppearance === true)
    .flatMap(({ id }) => (typeof id === "string" ? [id] : []));
}

function fieldValue(field: Annotation): string | undefined {
  if (field.password === true || field.pushButton === true) return undefined;
  if (field.checkBox === true) {
    const value = textOf(field.fieldValue);
    return boxSign(
      value !== undefined &&
        value !== "Off" &&
        (field.exportValue === undefined || value === field.exportValue),
    );
  }
  if (field.radioButton === true) {
    const value = textOf(field.fieldValue);
    return boxSign(value !== undefined && value === field.buttonValue);
  }
  if (field.fieldType === "Ch") {
    const chosen = Array.isArray(field.fieldValue) ? field.fieldValue : [field.fieldValue];
    return chosen.flatMap((value) => choiceText(field.options, value) ?? []).join(", ");
  }
  if (field.fieldType !== "Tx") return undefined;
  return textOf(field.fieldValue)?.replace(/\r\n?/g, "\n") ?? joinedTexts(field.textContent);
}

const boxSign = (isChecked: boolean) => (isChecked ? "☒" : "☐");

/** What a list shows for a value. */
function choiceText(options: unknown, value: unknown): string | undefined {
  const all: unknown[] = Array.isArray(options) ? options : [];
  const option = all.find(
    (one) => typeof one === "object" && one !== null && Reflect.get(one, "exportValue") === value,
  );
  return (
    textOf(option === undefined ? value : Reflect.get(option as object, "displayValue")) ?? textOf(value)
  );
}

/** Text that a person wrote onto the page, or into a comment. */
function noteText({ subtype, contentsObj, textContent }: Annotation): string | undefined {
  if (subtype !== "FreeText" && subtype !== "Stamp" && subtype !== "Text") return undefined;
  const contents =
    typeof contentsObj === "object" && contentsObj !== null
      ? textOf(Reflect.get(contentsObj, "str"))
      : undefined;
  return contents?.replace(/\r\n?/g, "\n") ?? joinedTexts(textContent);
}

function joinedTexts(texts: unknown): string | undefined {
  return Array.isArray(texts) ? texts.filter((text) => typeof text === "string").join("\n") : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}

const oneLine = (text: string) => text.replace(/\s+/g, " ").trim().replace(/:$/, "").slice(0, 200);

function rectOf(value: unknown): PageNote["rect"] | undefined {
  if (!Array.isArray(value) || value.length !== 4) return undefined;
  const [left, bottom, right, top] = value.map(Number);
  if (left === undefined || bottom === undefined || right === undefined || top === undefined)
    return undefined;
  return [left, bottom, right, top].every(Number.isFinite) ? [left, bottom, right, top] : undefined;
}
