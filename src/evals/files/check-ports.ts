import type { DaemonClient } from "../../contracts/daemon/client.ts";
import type { CheckPorts } from "../checks/check.ts";

/** Embedders and judges of the daemon, which counts and prices their calls like any others. */
export function daemonCheckPorts(client: Pick<DaemonClient, "embed" | "complete">): CheckPorts {
  return {
    async embed(model, texts, signal) {
      const { data } = await client.embed({ model, input: [...texts] }, signal);
      return data.map(({ embedding }) => embedding as number[]);
    },
    async judge({ model, system, prompt, schema }, signal) {
      const { choices, usage } = await client.complete(
        {
          model,
          messages: [
            { role: "system", content: system },
            { role: "user", content: prompt },
          ],
          response_format: { type: "json_schema", json_schema: { name: "verdict", schema } },
        },
        signal,
      );
      return { text: choices[0]?.message.content ?? "", costUsd: usage.cost_usd };
    },
  };
}
