import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useLocation } from "wouter";
import type { Tagged } from "../../../contracts/tagged.ts";
import type { Schema } from "../../builder/manifest/schema-at.ts";
import { notify } from "../../parts/notices.tsx";
import { builderTexts as texts } from "../../texts/builder.ts";
import { useDaemon } from "../use-daemon.ts";
import { agentPaths } from "./agent-paths.ts";

/** Data and actions of both editor pages: the schema, the existing names, and the creation of an agent. */
export function useAgentEditor() {
  const daemon = useDaemon();
  const queries = useQueryClient();
  const [, go] = useLocation();
  const schema = useQuery({
    queryKey: ["daemon", "schema", "agent"],
    queryFn: async () => (await daemon.manifestSchema("agent")) as Schema,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const agents = useQuery({ queryKey: ["daemon", "agents"], queryFn: daemon.listAgents });
  return {
    schema,
    agents,
    /** Saves over the version with the tag. Throws 412 if the stored one is another. */
    async save(name: string, text: string, tag: string | undefined) {
      await daemon.replaceAgent(name, text, tag);
      queries.setQueryData(manifestKey(name), await daemon.readManifest(name));
      await queries.invalidateQueries({ queryKey: ["daemon", "agents"] });
      notify(texts.saved);
    },
    async create(text: string) {
      const { name } = await daemon.createAgent(text);
      await queries.invalidateQueries({ queryKey: ["daemon", "agents"] });
      notify(texts.created(name));
      go(agentPaths.edit(name), { replace: true });
    },
    read: daemon.readManifest,
    take(name: string, theirs: Tagged<string>) {
      queries.setQueryData(manifestKey(name), theirs);
    },
  };
}

export const manifestKey = (name: string) => ["daemon", "agents", name, "manifest"];

/** Tells whether an agent outlives a restart; true until the daemon has answered. */
export function useIsPersisted(name: string): boolean {
  const daemon = useDaemon();
  const { data } = useQuery({ queryKey: ["daemon", "agents", name], queryFn: () => daemon.getAgent(name) });
  return data?.persisted ?? true;
}

/** The newest stored manifest of an agent, with its tag. */
export function useStoredManifest(name: string) {
  const daemon = useDaemon();
  return useQuery({ queryKey: manifestKey(name), queryFn: () => daemon.readManifest(name) });
}
