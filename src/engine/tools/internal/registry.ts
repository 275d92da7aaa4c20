import { didYouMean } from "../../../kit/text/did-you-mean.ts";
import type { ToolRow } from "../../../manifest/schema/registries.ts";
import type { BindEntry } from "../tool-type.ts";
import { bindSendMessage, messageDocs, messageOptions } from "./send-message.ts";

/** Tools that act on Argosy itself, by name. */
const internalTools: ReadonlyMap<string, BindEntry<"internal">> = new Map([
  ["send_message", bindSendMessage],
]);

/** Options of each internal tool, for tenants' manifests. The operator's own agents have no platform to act on. */
export const internalToolRows: ReadonlyMap<string, ToolRow> = new Map([
  ["send_message", { options: messageOptions, description: messageDocs }],
]);

/** `type: internal`: an internal tool of the platform. */
export const bindInternal: BindEntry<"internal"> = (entry, place) => {
  const bind = internalTools.get(entry.name);
  if (bind !== undefined) return bind(entry, place);
  const near = didYouMean(entry.name, internalTools.keys()) ?? [...internalTools.keys()].join(", ");
  const message = `${entry.name} is not an internal tool; there is ${near}`;
  return { problems: [{ path: `${place.path}.name`, message }] };
};
