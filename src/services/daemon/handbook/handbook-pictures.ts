import concepts from "../../../../docs/concepts.svg" with { type: "text" };

/** Pictures of the pages of docs/ by file name, as SVG with colors for light and dark. */
export const handbookPictures: Readonly<Record<string, string>> = { "concepts.svg": concepts };
