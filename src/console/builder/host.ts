import { type ComponentType, createContext, type ReactNode, use } from "react";
import type { RunTurn } from "../../contracts/daemon/runs/turns.ts";
import type { ProblemBody } from "../../contracts/error-body.ts";
import type { YamlReading } from "../../manifest/yaml/read-yaml.ts";
import type { OtherType } from "./form/other-tools.tsx";
import type { Schema } from "./manifest/schema-at.ts";

/** Something that a service offers, with the key of the query that reads it. */
export interface Offered<Item> {
  key: readonly unknown[];
  read: () => Promise<readonly Item[]>;
}

export interface OfferedTool {
  name: string;
  type: "builtin" | "internal";
  description: string;
  /** True if it changes something outside the run. */
  writes?: boolean;
}

export interface OfferedProvider {
  name: string;
  /** Names of its models that are known without asking it. */
  models: readonly string[];
  /** True if its server can be asked for its models. */
  canList?: boolean;
}

/** What was found in a manifest. */
export interface Findings {
  /** Faults for which it can't be saved. */
  problems: readonly ProblemBody[];
  /** What it lacks to answer calls, although it can be saved. */
  missing?: readonly ProblemBody[];
}

/** A question to the agent as it is written. */
export interface TrialQuestion {
  /** The manifest's text, and its value. */
  text: string;
  value: Record<string, unknown>;
  query: string;
  /** The conversation before the question. */
  turns: readonly RunTurn[];
}

export type TrialFrame =
  | { type: "token"; content: string }
  | { type: "tool"; name: string }
  /** `figures`: what the answer took, in words; `run`: the id by which it is judged. */
  | { type: "answer"; answer: string; figures?: string; run?: string };

/** An answer of a trial. */
export interface TrialAnswer {
  /** Name of the agent that was asked. */
  agent: string;
  query: string;
  answer: string;
  run: string | undefined;
}

/** How an agent is asked before it is saved. */
export interface Trial {
  ask: (question: TrialQuestion, signal: AbortSignal) => AsyncIterable<TrialFrame>;
  /** What a trial costs and leaves behind. */
  hint: string;
}

export interface UploadProps {
  collection: string;
  /** Called when files are taken. */
  added: () => void;
}

/** What the place of an agent offers for its manifest: the Studio, a tenant or an org. */
export interface BuilderHost {
  schema: Schema;
  providers: Offered<OfferedProvider>;
  listModels?: (provider: string) => Promise<readonly string[]>;
  /** Shown below the model of a provider, such as the way to its key. */
  providerNote?: (provider: string) => ReactNode;
  tools: Offered<OfferedTool>;
  /** Kinds of tools that the manifest itself describes. */
  otherTools: readonly OtherType[];
  /** Names of collections of documents; absent where agents have none. */
  collections?: Offered<string>;
  /** Names of pipelines; absent where agents have none. */
  pipelines?: Offered<string>;
  /** Takes files into a collection. */
  Upload?: ComponentType<UploadProps>;
  check: (text: string, reading: YamlReading, signal: AbortSignal) => Promise<Findings>;
  /** Key of the queries that check. */
  checkKey: readonly unknown[];
  /** Absent if the agent can't be asked now; `noTrial` says why. */
  trial?: Trial | undefined;
  noTrial?: string;
  /** What a person may do with an answer: judge it, or make a case of it. */
  Judge?: ComponentType<TrialAnswer>;
}

const HostContext = createContext<BuilderHost | undefined>(undefined);
export const HostProvider = HostContext.Provider;

export function useHost(): BuilderHost {
  const host = use(HostContext);
  if (host === undefined) throw new Error("There is no builder here.");
  return host;
}
