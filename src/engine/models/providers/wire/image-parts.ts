import type { ImagePart } from "../../model.ts";

/** A message's text as content parts; no part for an empty text, which several servers refuse. */
export function textParts(text: string): { type: "text"; text: string }[] {
  return text === "" ? [] : [{ type: "text", text }];
}

/** An image as a content part in OpenAI's format, which Cohere also uses. */
export function imageUrl({ mediaType, data }: ImagePart): object {
  return { type: "image_url", image_url: { url: `data:${mediaType};base64,${data}` } };
}
