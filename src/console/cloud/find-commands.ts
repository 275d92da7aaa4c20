import { cloudClient } from "../../contracts/cloud/client.ts";
import type { Server } from "../api/server.ts";
import type { Command, CommandContext } from "../area.ts";
import { commandTexts as texts } from "../texts/shell.ts";
import { orgPaths } from "./cloud-paths.ts";

/** Agents of the org that was shown last, after the action that makes one. */
export async function findAgents(
  server: Server,
  { parameters: { org = "" } }: CommandContext,
): Promise<Command[]> {
  const { agents } = await server.client("cloud", cloudClient).agents(org);
  const paths = orgPaths(org);
  return [
    { label: texts.newCloudAgent, href: paths.newAgent, icon: "plus", keywords: texts.createWords },
    ...agents.map(
      ({ name, display_name }): Command => ({
        label: display_name,
        description: name,
        href: paths.agent(name),
        icon: "agents",
      }),
    ),
  ];
}
