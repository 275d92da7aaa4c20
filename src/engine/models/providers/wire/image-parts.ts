import type { ImagePart } from "../../model.ts";

/** A message's text as content parts; none for an empty text, which several servers refuse. */
export function textParts(text: string): { type: "text"; text: string }[] {
  return text === "" ? [] : [{ type: "text", text }];
}

/** A picture as a content part of OpenAI's form, which Cohere took over. */
export function imageUrl({ mediaType, data }: ImagePart): object {
  return { type: "image_url", image_url: { url: `data:${mediaType};base64,${data}` } };
}
