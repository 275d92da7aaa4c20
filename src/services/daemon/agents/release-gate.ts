import type { CanaryTerms } from "../../../evals/canary/judge-canary.ts";
import { AppError, type Problem } from "../../../kit/app-error.ts";
import type { ManifestFault } from "../manifests/manifest-fault.ts";
import type { AgentVersion } from "./agent-version.ts";

/** Decides which versions may be taken into service. */
export interface ReleaseGate {
  /** Returns the reasons against a version that would replace `before`; empty if it may serve. */
  judge(version: AgentVersion, before: AgentVersion | undefined): Promise<Problem[]>;
  /** Decides on a version that passed the gate and would replace `before`. Changes nothing. */
  canary(version: AgentVersion, before: AgentVersion): CanaryState;
  /** Notes that a canary answers its sessions, if it is a new one. */
  begin(version: AgentVersion, before: AgentVersion): void;
  /** Notes that a canary was replaced or deleted before it ended. */
  withdraw(name: string, fingerprint: string): void;
  /** State that the verdicts on these versions depend on besides the versions. They are judged again when it changes. */
  evidence(held: readonly HeldVersion[]): Promise<string>;
  /** Notes that the version is in service, for the next start. */
  serve(version: AgentVersion): void;
  /** Returns the version that was in service last; undefined for an agent that never had a gate. */
  last(name: string): LastServed | undefined;
  /** Forgets the text of an agent that is gone, so that it does not serve again. Its gate stays. */
  forget(name: string): void;
}

/** A version that does not serve, or not alone, and the one that it would replace. */
export interface HeldVersion {
  version: AgentVersion;
  before: AgentVersion | undefined;
}

export type CanaryState =
  /** The version may answer all sessions. */
  | { state: "none" }
  /** It answers a share of the sessions. */
  | { state: "open"; terms: CanaryTerms }
  /** It was worse, and answers none. */
  | { state: "returned"; reasons: readonly string[] };

/** A version that was in service when the process ended. */
export interface LastServed {
  fingerprint: string;
  /** Undefined if the text contains secrets, which are not stored. */
  text: string | undefined;
}

/** The fault of a version that the gate keeps out. */
export function gateFault(name: string, problems: readonly Problem[]): ManifestFault {
  return { message: refusal(name, problems), problems: [...problems] };
}

/** The error of a request that brings a version that the gate keeps out. */
export function releaseRefused(name: string, problems: readonly Problem[]): AppError {
  return new AppError("unprocessable", "release_refused", refusal(name, problems), {
    details: { problems: [...problems], hint: evalHint(name) },
  });
}

const refusal = (name: string, problems: readonly Problem[]) =>
  `The release gate of ${name} keeps the new version out of service: ${problems.map(({ message }) => message).join("; ")}.`;

const evalHint = (name: string) =>
  `\`argosy eval --candidate\` with the eval's file asks the refused version of ${name}. Then send it again.`;
