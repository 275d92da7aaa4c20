import { toolTexts } from "../../texts/studio/resources.ts";

/** Names a tool's type, or repeats what a manifest has in its place. */
export const toolTypeText = (type: string): string =>
  (Object.hasOwn(toolTexts.types, type) ? toolTexts.types[type] : undefined) ?? type;
