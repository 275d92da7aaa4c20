import type { Present, WorkspaceKind } from "../workspace-kind.ts";

export const agentType = "platform.agent";

/** Requests for agents' manifests at a time. */
const atOnce = 8;

/** Agents of the tenant. A change appends a version; a deleted agent keeps its history. */
export const agentKind: WorkspaceKind = {
  type: agentType,
  async observe({ tenant }, named) {
    const names = new Set(named.map(({ name }) => name));
    const live = (await tenant.listAgents()).agents.filter(({ name }) => names.has(name));
    const present: Present[] = [];
    for (let at = 0; at < live.length; at += atOnce) {
      const read = live.slice(at, at + atOnce).map(async ({ name, id }) => {
        const { spec } = await tenant.getAgent(name);
        return { type: agentType, name, id, config: spec as Record<string, unknown>, masks: new Map() };
      });
      present.push(...(await Promise.all(read)));
    }
    return present;
  },
  async create({ tenant }, { config }) {
    await tenant.createAgent(config);
  },
  async update({ tenant }, { name, config }) {
    await tenant.updateAgent(name, config);
  },
  async delete({ tenant }, { name }) {
    await tenant.deleteAgent(name);
  },
};
