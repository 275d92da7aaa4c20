import { stringify } from "yaml";

/** Formats a stored spec as text to read and edit. */
export const manifestText = (spec: unknown): string => stringify(spec, { lineWidth: 0 });
