import { Type } from "@sinclair/typebox";

/** The page and section of a passage in words: `page 3, Rent`; empty if it has neither. */
export const placeText = ({ page, section }: { page?: number; section?: string }): string =>
  [page === undefined ? [] : `page ${page}`, section ?? []].flat().join(", ");

/** Fields of a passage that comes from a page or section. */
export const TextPlace = {
  page: Type.Optional(
    Type.Integer({ minimum: 1, description: "Page (PDF) or slide of the document, starting at 1." }),
  ),
  section: Type.Optional(
    Type.String({ description: "Nearest heading before the text, or its sheet, chapter or attachment." }),
  ),
};

/** Parts of a file that its text lacks or shows differently. */
export const Losses = Type.Optional(
  Type.Array(
    Type.Object({
      kind: Type.String({ description: "For programs: `pictures`, `equations`, `comments` and others." }),
      count: Type.Integer(),
      detail: Type.String({ description: "For people: `2 pages are pictures`." }),
    }),
    {
      description: "What of the file the text doesn't have as the file shows it. Absent if nothing was lost.",
    },
  ),
);
