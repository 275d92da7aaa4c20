import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { parse } from "yaml";
import type { AgentInput } from "../../contracts/cloud/agents.ts";
import { AppError } from "../../kit/app-error.ts";

/** Reads a config in YAML or JSON. Throws `usage` if it can't be read or has no name; the cloud checks the rest. */
export function readConfig(folder: string, file: string): AgentInput {
  try {
    const config = parse(readFileSync(resolve(folder, file), "utf8"));
    if (typeof config?.name === "string") return config as AgentInput;
  } catch (cause) {
    throw new AppError("invalid", "usage", `${file} can't be read as YAML or JSON.`, { cause });
  }
  throw new AppError(
    "invalid",
    "usage",
    `${file} has no name. It needs name, display_name and step1 to step5.`,
  );
}
