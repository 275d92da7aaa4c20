import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { ProblemBody as Problem } from "../../../../contracts/error-body.ts";
import type { PlatformAgentDetail } from "../../../../contracts/platform/agents.ts";
import { refusalOf } from "../../../../contracts/refusal.ts";
import { useManifestProblems } from "../../../editor/use-manifest-problems.ts";

interface DraftParts {
  tenantId: string;
  /** Initial text of the draft. */
  initial: string;
  send: (text: string) => Promise<PlatformAgentDetail>;
  done: (agent: PlatformAgentDetail) => void;
}

/** A manifest being edited: its own problems, and those that the platform found in the sent text. */
export function useAgentDraft({ tenantId, initial, send, done }: DraftParts) {
  const queries = useQueryClient();
  const [text, setText] = useState(initial);
  const [sent, setSent] = useState<string>();
  const own = useManifestProblems("Agent", text);
  const save = useMutation({
    mutationFn: send,
    async onSuccess(agent) {
      await queries.invalidateQueries({ queryKey: ["platform", tenantId, "agents"] });
      done(agent);
    },
  });
  const found = sent === text ? refusalOf(save.error)?.problems : undefined;
  const problems: readonly Problem[] = own.length > 0 ? own : (found ?? own);
  return {
    text,
    setText,
    problems,
    isChanged: text !== initial,
    isSaving: save.isPending,
    /** True if the release gate refused this text. */
    isGated: sent === text && refusalOf(save.error)?.code === "release_refused",
    /** Error of the last attempt, if problems do not describe it. */
    failure: save.isError && found === undefined && sent === text ? save.error : undefined,
    /** Saves by another request than `send`. */
    async sendOver(send: () => Promise<PlatformAgentDetail>) {
      const agent = await send();
      await queries.invalidateQueries({ queryKey: ["platform", tenantId, "agents"] });
      done(agent);
    },
    save() {
      if (own.length > 0 || save.isPending) return;
      setSent(text);
      save.mutate(text);
    },
  };
}
