import { Type } from "@sinclair/typebox";
import { AppError, type Problem, toAppError } from "../../kit/app-error.ts";
import { checksumOf } from "../../kit/json/canonical-json.ts";
import type { AgentManifest } from "../../manifest/agent/agent.ts";
import { type InlineSkill, skillName } from "../../manifest/agent/skills.ts";
import type { BoundTool } from "../tools/bound-tool.ts";
import { readByTypeBox } from "../tools/input-schema.ts";
import type { ToolResult } from "../tools/tool.ts";
import type { Skill, Skills } from "./skill.ts";

export const readSkillTool = "read_skill";
export const runScriptTool = "run_skill_script";

const readTimeoutMs = 10_000;
const scriptTimeoutMs = 60_000;

export interface BoundSkills {
  skills: readonly Skill[];
  tools: ReadonlyMap<string, BoundTool>;
  problems: Problem[];
}

export interface SkillPorts {
  /** Absent: only skills that the manifest has itself. */
  skills?: Skills;
  approvalsRefused?: string;
}

/** Binds `spec.skills`: the skills, and the tools by which the model uses them. */
export function bindSkills(
  { skills: declared = [], tools }: Pick<AgentManifest["spec"], "skills" | "tools">,
  ports: SkillPorts,
): BoundSkills {
  const problems: Problem[] = [];
  const skills: Skill[] = [];
  for (const [index, one] of declared.entries()) {
    const path = `spec.skills[${index}]`;
    const skill = typeof one === "string" ? ports.skills?.find(one) : inlineSkill(one);
    if (skill === undefined)
      problems.push({ path, message: `is not a folder of skills/: ${skillName(one)}` });
    else if ("fault" in skill) problems.push({ path, message: `can't be used: ${skill.fault}` });
    else if (skills.some(({ name }) => name === skill.name))
      problems.push({ path, message: `is given twice: ${skill.name}` });
    else skills.push(skill);
  }
  const bound = new Map<string, BoundTool>();
  if (skills.length === 0) return { skills, tools: bound, problems };
  bound.set(readSkillTool, readTool(skills));
  const withScripts = skills.filter(({ scripts, run }) => scripts.length > 0 && run !== undefined);
  // Without keys no run can wait for a person, so no script can be approved.
  if (withScripts.length > 0 && ports.approvalsRefused === undefined)
    bound.set(runScriptTool, scriptTool(withScripts));
  for (const [index, { name }] of tools.entries())
    if (bound.has(name))
      problems.push({ path: `spec.tools[${index}].name`, message: `is the tool of spec.skills: ${name}` });
  return { skills, tools: bound, problems };
}

function inlineSkill({ name, description, instructions, references }: InlineSkill): Skill {
  return {
    name,
    description,
    instructions,
    references: Object.keys(references).sort(),
    scripts: [],
    hash: checksumOf({ description, instructions, references }),
    async read(path) {
      const text = Object.hasOwn(references, path) ? references[path] : undefined;
      if (text !== undefined) return text;
      throw noReference(name, path);
    },
  };
}

export const noReference = (skill: string, path: string) =>
  new AppError(
    "not_found",
    "no_reference",
    `Skill ${skill} has no reference ${JSON.stringify(path.slice(0, 200))}.`,
  );

const nameOf = (skills: readonly Skill[]) =>
  Type.Union(
    skills.map(({ name }) => Type.Literal(name)),
    { description: "The skill's name." },
  );

function readTool(skills: readonly Skill[]): BoundTool {
  const parameters = Type.Object(
    {
      skill: nameOf(skills),
      path: Type.Optional(
        Type.String({ maxLength: 512, description: "One of its references; absent: its instructions." }),
      ),
    },
    { additionalProperties: false },
  );
  return {
    tool: {
      name: readSkillTool,
      type: "skill",
      description:
        "Reads a skill: its instructions with the paths of its references and scripts, or one of its references.",
      parameters,
      async execute({ skill: name, path }) {
        const skill = skills.find((one) => one.name === name);
        if (skill === undefined) return { success: false, error: `There is no skill ${String(name)}.` };
        const { instructions, references, scripts } = skill;
        if (typeof path !== "string") return { success: true, data: { instructions, references, scripts } };
        return textOf(skill, path);
      },
    },
    read: readByTypeBox(parameters),
    timeoutMs: readTimeoutMs,
    hasNoEffects: true,
  };
}

async function textOf(skill: Skill, path: string): Promise<ToolResult> {
  try {
    return { success: true, data: { text: await skill.read(path) } };
  } catch (thrown) {
    const { kind, message } = toAppError(thrown);
    if (kind === "internal") throw thrown;
    const known = skill.references.slice(0, 50).join(", ");
    return { success: false, error: `${message} It has: ${known === "" ? "none" : known}.` };
  }
}

function scriptTool(skills: readonly Skill[]): BoundTool {
  const parameters = Type.Object(
    {
      skill: nameOf(skills),
      script: Type.String({ maxLength: 512, description: "Path of one of its scripts." }),
      input: Type.Record(Type.String(), Type.Unknown(), { description: "The script's input.", default: {} }),
    },
    { additionalProperties: false },
  );
  return {
    tool: {
      name: runScriptTool,
      type: "skill",
      description: "Runs a script of a skill, after a person has approved it.",
      parameters,
      async execute({ skill: name, script, input }, context) {
        const skill = skills.find((one) => one.name === name);
        const path = String(script);
        if (skill?.run === undefined || !skill.scripts.includes(path))
          return {
            success: false,
            error: `Skill ${String(name)} has no script ${JSON.stringify(path.slice(0, 200))}.`,
          };
        return skill.run(path, input as Record<string, unknown>, context);
      },
      describeCall: ({ skill, script }) => ({
        target: `skills/${String(skill)}/${String(script)}`,
        operation: "write",
      }),
    },
    read: readByTypeBox(parameters),
    timeoutMs: scriptTimeoutMs,
    requiresApproval: true,
  };
}

/** The system prompt with the names and descriptions of the skills. */
export function withSkills(system: string, skills: readonly Skill[]): string {
  if (skills.length === 0) return system;
  const lines = skills.map(
    ({ name, description }) => `- ${name}: ${description.replaceAll(/\s+/g, " ").trim()}`,
  );
  const block = `Skills that you can use. Before a task that fits one, read it with ${readSkillTool}.\n${lines.join("\n")}`;
  return system === "" ? block : `${system}\n\n${block}`;
}
