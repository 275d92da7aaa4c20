import type { Clock } from "../../../kit/clock.ts";
import type { NewId } from "../../../kit/id.ts";
import type { OnnxRuntime } from "../../../onnx/onnx-runtime.ts";
import type { TemplateEngine } from "../../templates/template.ts";

/** The network for a provider: `fetch` with the caller's rules for trusted endpoints. */
export type ProviderFetch = (url: string, init: RequestInit) => Promise<Response>;

/** Dependencies of a provider's builder. */
export interface ProviderPorts {
  fetch: ProviderFetch;
  clock: Clock;
  newId: NewId;
  /** For models from local files; templates render their prompts. */
  onnx?: { runtime: OnnxRuntime; templates: TemplateEngine };
}
