import { useQuery } from "@tanstack/react-query";
import { usePlatform } from "../../platform/use-platform.ts";
import { useSession } from "../../session/session.tsx";
import { useDaemon } from "../../studio/use-daemon.ts";
import { useGateway } from "../use-gateway.ts";
import { invocationOf, messageWithAnswers, type Pipeline, pipelineOf } from "./pipeline.ts";

export const pipelineKey = (id: string) => ["gateway", "trail", "of", id] as const;

export interface FoundPipeline {
  pipeline: Pipeline;
  messageId: string;
  conversationId: string | undefined;
  /** Undefined if there is no run, or this session may not see it. */
  invocationId: string | undefined;
}

/** Follows one message of the phone by the provider's id: its trail, and then its run's cost and trace. */
export function usePipeline(channelMessageId: string): { found?: FoundPipeline; error: unknown } {
  const gateway = useGateway();
  const platform = usePlatform();
  const daemon = useDaemon();
  const { state, signedIn } = useSession();
  const hasPlatform = signedIn.operator && state.services.includes("platform");
  // Traces of tenants are for the owner of the machine.
  const hasDaemon = signedIn.daemon && signedIn.local && state.services.includes("daemon");
  const trail = useQuery({
    queryKey: pipelineKey(channelMessageId),
    queryFn: () => gateway.trail(channelMessageId, { limit: 20 }),
    enabled: channelMessageId !== "",
  });
  const split = messageWithAnswers(trail.data?.messages ?? [], channelMessageId);
  const invocationId = invocationOf(split?.message);
  const invocation = useQuery({
    queryKey: ["platform", "admin", "invocation", invocationId],
    queryFn: () => platform.getAnyInvocation(invocationId ?? ""),
    enabled: hasPlatform && invocationId !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const traceId = invocation.data?.trace_id ?? undefined;
  const trace = useQuery({
    queryKey: ["daemon", "trace", traceId],
    queryFn: () => daemon.getTrace(traceId ?? "", { tenant: invocation.data?.tenant_id ?? "" }),
    enabled: hasDaemon && traceId !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    // The run's answer may be faster than its trace.
    retry: (count) => count < 3,
    retryDelay: 500,
  });
  if (split === undefined) return { error: trail.error };
  const conversationId = split.message.events
    .map(({ details }) => details?.conversation)
    .find((id) => typeof id === "string");
  const seesRuns = hasPlatform && !invocation.isError;
  return {
    error: undefined,
    found: {
      pipeline: pipelineOf({ ...split, invocation: invocation.data, trace: trace.data, seesRuns }),
      messageId: split.message.message_id,
      conversationId: typeof conversationId === "string" ? conversationId : undefined,
      invocationId: hasPlatform ? invocationId : undefined,
    },
  };
}
