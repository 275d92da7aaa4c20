import type { Path } from "../fault.ts";
import type { ManifestKind, ManifestReport } from "../schema/manifest-kind.ts";
import type { ManifestRegistries } from "../schema/registries.ts";
import { type AgentManifest, agentSchema } from "./agent.ts";
import { checkSkills } from "./skills.ts";
import { checkTriggers } from "./triggers.ts";

type Spec = AgentManifest["spec"];

/** Checks the rules between the parts of an agent, which a schema cannot express. */
export function agentRules({ metadata, spec }: AgentManifest, report: ManifestReport): void {
  refuseRepeats(
    spec.tools.map((tool) => tool.name),
    (index) => ["spec", "tools", index, "name"],
    report,
  );
  checkTools(metadata.name, spec, report);
  checkOrchestration(spec, report);
  checkRoles(spec, report);
  checkLinks(spec, report);
  refuseRepeats(
    (spec.release?.requires ?? []).map((required) => required.eval),
    (index) => ["spec", "release", "requires", index, "eval"],
    report,
  );
  const triggers = spec.triggers ?? [];
  refuseRepeats(
    triggers.map((trigger) => trigger.name),
    (index) => ["spec", "triggers", index, "name"],
    report,
  );
  checkTriggers(triggers, report);
  checkSkills(spec.skills ?? [], report);
}

function checkTools(self: string, spec: Spec, report: ManifestReport): void {
  const allowed = spec.permissions.allowed_actions;
  for (const [index, tool] of spec.tools.entries()) {
    const at = (...rest: Path): Path => ["spec", "tools", index, ...rest];
    for (const [position, action] of tool.permissions.entries()) {
      if (allowed?.includes(action) === false) {
        report(at("permissions", position), `is not among spec.permissions.allowed_actions: ${action}`);
      }
    }
    if ("parameters" in tool && tool.parameters !== undefined && tool.parameters.type !== "object") {
      report(at("parameters"), "must be a JSON Schema with `type: object`");
    }
    if (tool.type === "agent" && tool.config.agent === self) {
      report(at("config", "agent"), "is this agent itself; an agent can't be its own tool");
    }
    if (tool.type === "mcp") {
      const needed = tool.config.transport === "stdio" ? "command" : "url";
      if (tool.config[needed] === undefined) {
        report(at("config", needed), `is required for the transport ${tool.config.transport}`);
      }
    }
  }
}

function checkOrchestration({ orchestration, tools }: Spec, report: ManifestReport): void {
  const { pattern, workers, stages } = orchestration;
  if (workers !== undefined) {
    const path = ["spec", "orchestration", "workers"];
    const agents = new Set(tools.filter((tool) => tool.type === "agent").map((tool) => tool.name));
    if (pattern !== "supervisor" && pattern !== "swarm") {
      report(path, `can't be honoured: the pattern ${pattern} has no workers (supervisor and swarm do)`);
    }
    refuseRepeats(workers, (index) => [...path, index], report);
    for (const [index, worker] of workers.entries()) {
      if (!agents.has(worker)) report([...path, index], `is not the name of a tool of type agent: ${worker}`);
    }
  }
  if (stages !== undefined) {
    const path = ["spec", "orchestration", "stages"];
    if (pattern !== "pipeline")
      report(path, `can't be honoured: the pattern ${pattern} has no stages (pipeline does)`);
    refuseRepeats(
      stages.map((stage) => stage.name),
      (index) => [...path, index, "name"],
      report,
    );
  }
}

/** Stages of a pipeline that declares none. */
export const defaultStages = ["analyze", "process", "synthesize"];

function checkRoles({ model, orchestration }: Spec, report: ManifestReport): void {
  const stages = orchestration.stages?.map((stage) => stage.name) ?? defaultStages;
  for (const role of Object.keys(model?.roles ?? {})) {
    if (role.startsWith("stage:") && !stages.includes(role.slice("stage:".length))) {
      report(["spec", "model", "roles", role], `is not a stage of this agent: ${stages.join(", ")}`);
    }
  }
}

function checkLinks({ chain }: Spec, report: ManifestReport): void {
  if (chain === undefined) return;
  const at = (index: number): Path => ["spec", "chain", "on_complete", index, "default"];
  const defaults = [...chain.on_complete.entries()].filter(([, link]) => link.default);
  for (const [index, link] of defaults) {
    if (link.when !== undefined)
      report(at(index), "can't stand beside `when`: the default fires when no `when` held");
  }
  for (const [index] of defaults.slice(1))
    report(at(index), "stands on more than one link; one can be the default");
}

function refuseRepeats(names: readonly string[], at: (index: number) => Path, report: ManifestReport): void {
  const seen = new Set<string>();
  for (const [index, name] of names.entries()) {
    if (seen.has(name)) report(at(index), `is given twice: ${name}`);
    seen.add(name);
  }
}

/** Returns `kind: Agent` as an executable with these registries can run it. Build it once for many agents. */
export function agentKind(registries: ManifestRegistries): ManifestKind<AgentManifest> {
  return { id: "agent", schema: agentSchema(registries), rules: agentRules };
}
