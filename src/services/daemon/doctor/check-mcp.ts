import type { DoctorCheck } from "../../../contracts/daemon/system.ts";
import type { SourceStatus } from "../../../engine/tools/tool-type.ts";
import { fixOfTrust } from "../../../engine/tools/workspace-programs.ts";
import type { AgentCatalog } from "../agents/agent-catalog.ts";

/**
 * The doctor's check of the loaded agents' MCP servers: servers that are down, and tools that changed. If all is well, the message says
 * that server programs are not sandboxed.
 */
export function checkMcp({ catalog }: { catalog: AgentCatalog }): Omit<DoctorCheck, "name"> {
  const servers = catalog
    .list()
    .flatMap(({ name, agent }) =>
      (agent?.live?.sources ?? []).flatMap(({ source: { entry, mcp } }) =>
        mcp === undefined ? [] : [{ place: `${name}/${entry}`, status: mcp.status() }],
      ),
    );
  if (servers.length === 0) return { status: "healthy", message: "No loaded agent uses an MCP server." };
  const faults = servers.flatMap(({ place, status }) => faultOf(place, status));
  if (faults.length > 0) {
    const isAllDown = servers.every(({ status }) => status.state === "down");
    return {
      status: isAllDown ? "failing" : "degraded",
      message: faults.map(({ message }) => message).join(" "),
      mend: [...new Set(faults.map(({ mend }) => mend))].join("; "),
    };
  }
  const ready = servers.filter(({ status }) => status.state === "ready").length;
  return {
    status: "healthy",
    message: `${ready} of ${servers.length} MCP servers are connected. Stdio servers run with the rights of this user, without a sandbox.`,
  };
}

function faultOf(place: string, { state, fault, changed, offered, hash, notes, missingScope }: SourceStatus) {
  const faults: { message: string; mend: string }[] = [];
  if (state === "down") {
    faults.push({
      message: `${place} is down: ${fault}.`,
      mend:
        fixOfTrust(fault ?? "") ?? `fix the entry of ${place} or start its server; see mcp.down in the log`,
    });
  }
  if (missingScope !== undefined) {
    faults.push({
      message: `The login at ${place} lacks the scope ${missingScope}.`,
      mend: `run \`argosy mcp login ${place.replace("/", " ")}\``,
    });
  }
  if (changed !== undefined) {
    const news = [
      ...changed.added.map((name) => `new ${name}`),
      ...changed.changed.map((name) => `changed ${name}`),
    ];
    faults.push({
      message: `The tools of ${place} changed since the first connection: ${listed(news)}.`,
      mend: `check its tools with \`argosy agents ${place.split("/")[0]}\`, and pin them by tools_hash: ${hash}`,
    });
  }
  if (state === "ready" && offered === 0 && notes.length > 0) {
    faults.push({
      message: `${place} has no usable tools: ${listed(notes)}.`,
      mend: `correct the config of ${place}`,
    });
  }
  return faults;
}

const listedMax = 5;

function listed(names: readonly string[]): string {
  const more = names.length > listedMax ? ` and ${names.length - listedMax} more` : "";
  return names.slice(0, listedMax).join(", ") + more;
}
