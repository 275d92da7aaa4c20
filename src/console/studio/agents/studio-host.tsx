import { useMemo } from "react";
import type { DaemonClient } from "../../../contracts/daemon/client.ts";
import type { RunOverride } from "../../../contracts/daemon/runs/run-override.ts";
import { valueAt } from "../../../manifest/value-at.ts";
import { streamRun } from "../../api/run-stream.ts";
import type {
  BuilderHost,
  Trial,
  TrialAnswer,
  TrialFrame,
  TrialQuestion,
  UploadProps,
} from "../../builder/host.ts";
import type { Schema } from "../../builder/manifest/schema-at.ts";
import { UploadPanel } from "../../documents/upload-panel.tsx";
import { formatDuration } from "../../parts/text/format.ts";
import { randomHex } from "../../parts/text/random-hex.ts";
import { studioTrialTexts as texts } from "../../texts/studio/agents.ts";
import { knowledgeKeys } from "../knowledge/knowledge-paths.ts";
import { useUploads } from "../knowledge/use-uploads.ts";
import { runFrames } from "../playground/use-conversation.ts";
import { JudgeAnswer } from "../traces/judge-answer.tsx";
import { useDaemon } from "../use-daemon.ts";

/** What the daemon offers for the manifests of its own agents. `name`: of the stored agent, which answers trials. */
export function useStudioHost(schema: Schema, name?: string): BuilderHost {
  const daemon = useDaemon();
  return useMemo(
    () => ({
      schema,
      providers: {
        key: ["daemon", "providers", "names"],
        async read() {
          const { providers } = await daemon.listProviders();
          return providers.map(({ name, models, configured }) => ({
            name,
            models: models.map(({ model }) => model),
            canList: configured !== "agent",
          }));
        },
      },
      listModels: async (provider) => (await daemon.listProviderModels(provider)).models,
      tools: {
        key: ["daemon", "tools", "builtin", "offered"],
        read: async () =>
          (await daemon.listBuiltinTools()).tools.map(({ name, description }) => ({
            name,
            description,
            type: "builtin" as const,
          })),
      },
      otherTools: ["webhook", "client", "mcp", "agent"],
      collections: {
        key: [...knowledgeKeys.collections, "names"],
        read: async () => (await daemon.listCollections()).collections.map(({ name }) => name),
      },
      pipelines: {
        key: [...knowledgeKeys.pipelines, "names"],
        read: async () => (await daemon.listPipelines()).pipelines.map(({ name }) => name),
      },
      Upload,
      check: async (text, _, signal) => daemon.validateAgent(text, signal),
      checkKey: ["daemon", "manifest-check"],
      Judge,
      ...(name === undefined ? { noTrial: texts.createFirst } : { trial: trialOf(daemon, name) }),
    }),
    [daemon, schema, name],
  );
}

const Judge = ({ run, answer }: TrialAnswer) =>
  run !== undefined && <JudgeAnswer trace={run} answer={answer} />;

function Upload({ collection, added }: UploadProps) {
  const uploads = useUploads(collection, "");
  const add = (files: readonly File[]) => {
    uploads.add(files);
    added();
  };
  return <UploadPanel uploads={{ ...uploads, add }} />;
}

/** Asks the stored agent with the model, the parameters and the prompt that are written. */
function trialOf(daemon: DaemonClient, name: string): Trial {
  return {
    hint: texts.hint,
    async *ask({ query, value, turns }: TrialQuestion, signal): AsyncIterable<TrialFrame> {
      const override = overrideOf(value);
      const request = {
        query,
        // The page tells the conversation itself, so that no user's run meets it.
        session_id: `try-${randomHex(8)}`,
        remember: "nothing" as const,
        trace_content: true,
        source: "playground" as const,
        turns: [...turns],
        ...(Object.keys(override).length > 0 && { override }),
      };
      for await (const frame of runFrames(daemon, streamRun, name, request, signal)) {
        if (frame.type === "token") yield { type: "token", content: frame.content };
        else if (frame.type === "tool_call") yield { type: "tool", name: frame.tool };
        else if (frame.type === "error") throw new Error(frame.message);
        else if (frame.type === "done")
          yield {
            type: "answer",
            answer: frame.response,
            run: frame.trace_id,
            figures: texts.figures(formatDuration(frame.timing.total_ms), frame.usage.total_tokens),
          };
      }
    },
  };
}

/** The parts of a manifest that one run may change. */
export function overrideOf(value: unknown): RunOverride {
  const primary = valueAt(value, ["spec", "model", "primary"]);
  const at = (path: readonly string[]) => valueAt(primary, [...path]);
  const texts = {
    provider: at(["provider"]),
    model: at(["model"]),
    system_prompt: valueAt(value, ["spec", "prompts", "system"]),
  };
  const numbers = {
    temperature: at(["parameters", "temperature"]),
    top_p: at(["parameters", "top_p"]),
    max_tokens: at(["parameters", "max_tokens"]),
  };
  return Object.fromEntries([
    ...Object.entries(texts).filter(([, one]) => typeof one === "string" && one !== ""),
    ...Object.entries(numbers).filter(([, one]) => typeof one === "number"),
  ]) as RunOverride;
}
