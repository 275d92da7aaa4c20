import {
  idOf,
  locationContent,
  named,
  present,
  safeFileName,
  storableOf,
} from "../inbound/delivered-text.ts";
import type { InboundMedia, ReceivedContent } from "../inbound/inbound-event.ts";
import { fieldOf, itemsOf } from "../json-fields.ts";

/** Larger files can't be downloaded from the provider's public server. */
const downloadBytesMax = 20 * 1024 * 1024;

/** Fields of a message that contain one file, in the order of preference: an animation is also given as a document. */
const fileFields: readonly (readonly [field: string, kind: Exclude<InboundMedia["kind"], "link">])[] = [
  ["animation", "video"],
  ["document", "document"],
  ["voice", "audio"],
  ["audio", "audio"],
  ["video", "video"],
  ["video_note", "video"],
  ["sticker", "sticker"],
];

/** Reads what a message says; undefined if it contains nothing that a user says. */
export function readContent(message: unknown): ReceivedContent | undefined {
  const text = storableOf(message, "text");
  if (text !== undefined) return { kind: "text", text, media: [] };
  const caption = storableOf(message, "caption") ?? "";
  // Sizes of one picture, the largest last.
  const photo = itemsOf(message, "photo").at(-1);
  if (photo !== undefined) return { kind: "image", text: caption, media: mediaOf(photo, "image") };
  for (const [field, kind] of fileFields) {
    const file = fieldOf(message, field);
    if (typeof file !== "object" || file === null) continue;
    const isVoice = field === "voice" ? { isVoice: true } : {};
    return { kind, text: caption, media: mediaOf(file, kind).map((media) => ({ ...media, ...isVoice })) };
  }
  return readShared(message);
}

function mediaOf(file: unknown, kind: InboundMedia["kind"]): InboundMedia[] {
  const id = storableOf(file, "file_id");
  if (id === undefined) return [];
  const bytes = fieldOf(file, "file_size");
  const isSize = typeof bytes === "number" && Number.isSafeInteger(bytes) && bytes >= 0;
  return [
    {
      kind,
      id,
      ...present({
        mimeType: storableOf(file, "mime_type"),
        fileName: safeFileName(storableOf(file, "file_name")),
        bytes: isSize ? bytes : undefined,
        isTooLarge: isSize && bytes > downloadBytesMax ? true : undefined,
      }),
    },
  ];
}

/** Reads a shared place or contact. */
function readShared(message: unknown): ReceivedContent | undefined {
  const venue = fieldOf(message, "venue");
  const location = fieldOf(venue, "location") ?? fieldOf(message, "location");
  if (typeof location === "object" && location !== null) {
    const place = [storableOf(venue, "title"), storableOf(venue, "address")];
    const named = place.filter((part) => part !== undefined);
    return locationContent(fieldOf(location, "latitude"), fieldOf(location, "longitude"), named);
  }
  const contact = fieldOf(message, "contact");
  if (typeof contact === "object" && contact !== null) {
    const parts = [
      storableOf(contact, "first_name"),
      storableOf(contact, "last_name"),
      idOf(contact, "phone_number"),
    ];
    const lines = parts.filter((part) => part !== undefined);
    return { kind: "contact", text: named("Contact", lines), media: [] };
  }
  return undefined;
}
