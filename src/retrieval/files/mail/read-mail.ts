import { toAppError } from "../../../kit/app-error.ts";
import { decodeBody } from "../../../kit/html/decode-body.ts";
import { picturesLost, recognitionAdvice, unreadable } from "../document-fault.ts";
import type { ReadDocument } from "../document-file.ts";
import { type DocumentForm, formOf } from "../document-kind.ts";
import { counted, DocumentWriter } from "../document-writer.ts";
import { readHtml, withPlainEnds } from "../read-text.ts";
import { decodeHeader, type MailPart, readMailPart, readParameters } from "./mail-part.ts";

const depthMax = 3;
const attachmentsMax = 100;
const namesMax = 20;

/** Reads an e-mail: its head, its text, and the attachments that can be read. Throws AppError `document_unreadable`. */
export async function readMail(bytes: Uint8Array, scope: MailScope): Promise<ReadDocument> {
  const { signal } = scope;
  const message = readMailPart(bytes);
  if (!["from", "to", "subject", "date", "received", "message-id"].some((name) => message.headers.has(name)))
    throw unreadable("The file is no e-mail: it has no headers; send it as what it is.");
  const writer = new DocumentWriter();
  const field = (name: string) => decodeHeader(message.headers.get(name) ?? "").trim();
  const head = ["From", "To", "Cc", "Date", "Subject"].flatMap((name) => {
    const value = field(name.toLowerCase());
    return value === "" ? [] : [`${name}: ${value}`];
  });
  writer.paragraph(head.join("\n"));
  const found: MailContent = { texts: [], attachments: [] };
  collect(message, found);
  for (const text of found.texts) writer.paragraph(await bodyText(text, signal));
  const unread: string[] = [];
  const pictures: string[] = [];
  for (const attachment of found.attachments.slice(0, attachmentsMax)) {
    const outcome = await addAttachment(writer, attachment, scope);
    if (outcome !== "read") (outcome === "picture" ? pictures : unread).push(shownName(attachment));
  }
  unread.push(...found.attachments.slice(attachmentsMax).map(shownName));
  const told = (names: readonly string[]) =>
    `${names.slice(0, namesMax).join(", ")}${names.length > namesMax ? " …" : ""}`;
  writer.lose(
    "attachments",
    unread.length,
    (count) => `${counted(count, "attachment")} not read: ${told(unread)}`,
  );
  writer.lose(
    picturesLost,
    pictures.length,
    (count) => `${counted(count, "attachment")} without text, a picture or empty: ${told(pictures)}`,
  );
  const title = field("subject");
  const date = new Date(field("date"));
  const metadata = {
    ...(field("from") !== "" && { author: field("from").slice(0, 500) }),
    ...(!Number.isNaN(date.getTime()) && { created_at: date.toISOString() }),
  };
  return { ...writer.read(), metadata, ...(title !== "" && { title: title.slice(0, 500) }) };
}

export interface MailScope {
  signal: AbortSignal;
  /** Reads an attachment. */
  read(bytes: Uint8Array, form: DocumentForm): Promise<ReadDocument>;
  /** Messages around this one. */
  depth?: number;
}

interface MailContent {
  texts: MailPart[];
  attachments: MailPart[];
}

function collect(part: MailPart, found: MailContent): void {
  if (part.type === "multipart/alternative") {
    // The last one is the richest; plain text says the same without markup.
    const plain = part.parts.find(({ type, bytes }) => type === "text/plain" && bytes.length > 1);
    const html = part.parts.findLast(({ type }) => type === "text/html");
    const chosen = plain ?? html ?? part.parts.at(-1);
    if (chosen !== undefined) collect(chosen, found);
    for (const other of part.parts)
      if (other !== chosen && other.parts.length > 0)
        collect(
          { ...other, type: "multipart/mixed" },
          { texts: chosen === undefined ? found.texts : [], attachments: found.attachments },
        );
    return;
  }
  if (part.parts.length > 0) {
    for (const one of part.parts) collect(one, found);
    return;
  }
  const isText = part.type === "text/plain" || part.type === "text/html";
  if (isText && dispositionOf(part) !== "attachment" && nameOf(part) === "") found.texts.push(part);
  else if (part.bytes.length > 0) found.attachments.push(part);
}

async function bodyText({ type, bytes, parameters }: MailPart, signal: AbortSignal): Promise<string> {
  const isHtml = type === "text/html";
  const text = withPlainEnds(decodeBody(bytes, parameters.get("charset"), isHtml).replaceAll("\0", ""));
  return isHtml ? (await readHtml(text, signal)).text : text;
}

async function addAttachment(
  writer: DocumentWriter,
  part: MailPart,
  { signal, read: readBytes, depth = 0 }: MailScope,
): Promise<"read" | "picture" | "unread"> {
  const name = nameOf(part);
  try {
    const read =
      part.type === "message/rfc822"
        ? depth < depthMax
          ? await readMail(part.bytes, { signal, read: readBytes, depth: depth + 1 })
          : undefined
        : await readBytes(part.bytes, formOf({ bytes: part.bytes, name, contentType: knownType(part) }));
    if (read === undefined) return "unread";
    writer.section(name === "" ? (read.title ?? "attachment") : name);
    writer.paragraph(`Attachment: ${shownName(part)}`);
    writer.include(read, shownName(part));
    return "read";
  } catch (thrown) {
    const { code, message } = toAppError(thrown);
    if (code === "document_too_large" || signal.aborted) throw thrown;
    return message.includes(recognitionAdvice) ? "picture" : "unread";
  }
}

/** Programs often send files as bytes; then the name and the content decide. */
function knownType({ type, parameters }: MailPart): string | undefined {
  const charset = parameters.get("charset");
  if (!type.startsWith("text/")) return undefined;
  return charset === undefined ? type : `${type}; charset=${charset}`;
}

const dispositionOf = ({ headers }: MailPart) =>
  readParameters(headers.get("content-disposition") ?? "").value.toLowerCase();

const nameOf = ({ headers, parameters }: MailPart) =>
  decodeHeader(
    readParameters(headers.get("content-disposition") ?? "").parameters.get("filename") ??
      parameters.get("name") ??
      "",
  ).trim();

function shownName(part: MailPart): string {
  const name = nameOf(part);
  return name === "" ? part.type : name;
}
