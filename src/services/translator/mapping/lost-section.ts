import type { SectionRow } from "./section-table.ts";

/** A row for a section that a cloud has nothing for. `{names}` in the detail stands for the elements that are used. */
export const lostSection = (
  section: string,
  keys: readonly string[],
  detail: string,
): Omit<SectionRow<never>, "when" | "into"> => ({
  section,
  keys,
  coverage: "unsupported",
  detail: ({ names }) => detail.replaceAll("{names}", names.join(", ")),
});
