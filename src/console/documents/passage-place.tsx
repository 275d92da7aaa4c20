import { placeText } from "../../contracts/daemon/rag/text-place.ts";

/** The page and section that a passage is from, if its file has such. */
export function PassagePlace(place: { page?: number; section?: string }) {
  const text = placeText(place);
  return text === "" ? null : <span className="ar-break">{text}</span>;
}
