import { stringify } from "yaml";

/** A stored spec as a text to read and to edit. */
export const manifestText = (spec: unknown): string => stringify(spec, { lineWidth: 0 });
