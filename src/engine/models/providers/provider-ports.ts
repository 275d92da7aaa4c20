import type { Clock } from "../../../kit/clock.ts";
import type { NewId } from "../../../kit/id.ts";
import type { OnnxRuntime } from "../../../onnx/onnx-runtime.ts";
import type { TemplateEngine } from "../../prompts/template.ts";

/** The network as a provider sees it: `fetch`, behind whichever door for trusted endpoints the caller chose. */
export type ProviderFetch = (url: string, init: RequestInit) => Promise<Response>;

/** What a provider's builder gets besides its options. */
export interface ProviderPorts {
  fetch: ProviderFetch;
  clock: Clock;
  newId: NewId;
  /** For models of local files; templates write their conversations down. */
  onnx?: { runtime: OnnxRuntime; templates: TemplateEngine };
}
