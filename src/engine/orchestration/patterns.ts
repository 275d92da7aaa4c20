import type { Pattern } from "./pattern.ts";
import { react } from "./react.ts";

/** Every orchestration pattern that this version has, by the name in `spec.orchestration.pattern`. */
export const patterns: ReadonlyMap<string, Pattern> = new Map([["react", react]]);
